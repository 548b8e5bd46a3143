-- The beginning of every script that writes live rules: the time, and the revision that its writes get. A revision only
-- grows, also when the server's clock steps back. Numbers that Tidegate does not write count as none, so that a write mends
-- them; a key of another type than its own is no data of Tidegate, and makes way.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local now_ms = string.format('%.0f', (now - now % 1000) / 1000)

local function whole(text, most)
  local number = tonumber(text or 0) or 0
  return number >= 0 and number <= most and number % 1 == 0 and number or 0
end

local function clear_foreign(key, kind)
  local found = redis.call('TYPE', key).ok
  if found ~= kind and found ~= 'none' then
    redis.call('DEL', key)
  end
end

clear_foreign(KEYS[1], 'hash')
local state = redis.call('HMGET', KEYS[1], 'revision', 'version')
local stored = whole(state[2], 1000000000)
-- A day ahead of the clock, as isolates believe it at most.
local revision = string.format('%.0f', math.max(now, whole(state[1], now + 86400000000) + 1))
