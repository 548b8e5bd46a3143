-- The beginning of every script that writes live rules: the time, and the revision that its writes get. A revision only
-- grows, also when the server's clock steps back. Numbers that Tidegate does not write count as none, so that a write mends
-- them. A key of another type than its own belongs to another program: then `foreign` is the reply, -1 with the key and its
-- type, and nothing is written.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local now_ms = string.format('%.0f', (now - now % 1000) / 1000)

local function whole(text, most)
  local number = tonumber(text or 0) or 0
  return number >= 0 and number <= most and number % 1 == 0 and number or 0
end

local foreign = nil
local function require_kind(key, kind)
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then
    foreign = foreign or { -1, key, found }
  end
end

require_kind(KEYS[1], 'hash')
local state = foreign and {} or redis.call('HMGET', KEYS[1], 'revision', 'version', 'lineage', 'audited', 'trial')
local stored = whole(state[2], 1000000000)
-- A version that only a part of the clients has; 0 for none. It is newer than the one that the others have.
local tried = whole(state[5], 1000000000)
local newest = tried > 0 and tried or stored
-- A day ahead of the clock, as isolates believe it at most.
local revision = string.format('%.0f', math.max(now, whole(state[1], now + 86400000000) + 1))

-- The lineage names the revisions of the writes up to this one. It begins anew where nothing was written before, and with a star
-- where what was written before is not known, or is left out: 100 revisions of 16 digits are kept.
local lineage = state[3] or ''
if (state[1] or state[2]) and (not state[1] or string.sub(lineage, -#state[1] - 1) ~= ' ' .. state[1]) then
  lineage = '*'
end
lineage = lineage .. ' ' .. revision
if #lineage > 1701 then
  lineage = '*' .. string.sub(lineage, string.find(lineage, ' ', #lineage - 1700, true), -1)
end

-- Each entry of the audit has a number, one more than that of the one before.
local function audit(key, fields, keep)
  local number = string.format('%.0f', whole(state[4], 9007199254740990) + 1)
  redis.call('HSET', KEYS[1], 'audited', number)
  redis.call('LPUSH', key, '{"n":' .. number .. ',"at":' .. now_ms .. ',' .. fields .. '}')
  redis.call('LTRIM', key, 0, tonumber(keep) - 1)
end
