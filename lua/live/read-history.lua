-- Reads the kept versions without their documents.
--
-- KEYS[1]  state, KEYS[2]  history
--
-- Reply: the published version and the one that is tried, empty if there is none; then the head of each version, all as texts and
-- in no order.

local function field(key, name)
  -- A key of another type has none.
  local value = redis.pcall('HGET', key, name)
  return type(value) == 'string' and value or ''
end

local reply = { field(KEYS[1], 'version'), field(KEYS[1], 'trial') }
-- An error is a table that lists nothing.
for _, version in ipairs(redis.pcall('HKEYS', KEYS[2])) do
  local whole = redis.call('HGET', KEYS[2], version)
  local stop = string.find(whole, ',"document":', 1, true)
  if stop then
    reply[#reply + 1] = string.sub(whole, 1, stop - 1) .. '}'
  end
end
return reply
