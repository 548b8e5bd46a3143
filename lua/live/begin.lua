-- What every script that writes live rules begins with: the time, and the revision that its writes get. A revision only
-- grows, also when the server's clock steps back.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local now_ms = string.format('%.0f', (now - now % 1000) / 1000)
local state = redis.call('HMGET', KEYS[1], 'revision', 'version')
local stored = tonumber(state[2] or 0) or 0
local revision = string.format('%.0f', math.max(now, (tonumber(state[1] or 0) or 0) + 1))
