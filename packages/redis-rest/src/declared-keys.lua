--[[
  What Upstash does to a script flagged allow-key-locking, for a Redis that doesn't:
  a command whose keys are not all among KEYS is an error, and so is one that needs the
  whole database. Redis itself says which arguments of a command are keys.
  Placed ahead of the script's own text as one line, so that a Lua error still names the
  line its author sees; hence block comments only.
]]
local redis = (function(real)
  local declared = {}
  for _, key in ipairs(KEYS) do declared[key] = true end
  local keyless = { TIME = true, PING = true, ECHO = true, PUBLISH = true }
  local database = { FLUSHALL = true, FLUSHDB = true, SWAPDB = true }

  local function objection(name, ...)
    name = string.upper(tostring(name))
    if keyless[name] then return nil end
    if database[name] then
      return { err = "ERR '" .. name .. "' is not allowed in Lua scripts when 'allow-key-locking' flag is set." }
    end
    local keys = real.pcall('COMMAND', 'GETKEYS', name, ...)
    --[[ No keys, or a malformed command: the call itself will say. ]]
    if keys.err then return nil end
    for _, key in ipairs(keys) do
      if not declared[key] then
        return { err = "ERR Dynamic keys are not allowed in Lua scripts when 'allow-key-locking' flag is set. Key was: " .. key }
      end
    end
  end

  local function call(...)
    local err = objection(...)
    if err then error(err) end
    return real.call(...)
  end
  local function pcall(...)
    return objection(...) or real.pcall(...)
  end
  return setmetatable({ call = call, pcall = pcall }, { __index = real })
end)(redis)
