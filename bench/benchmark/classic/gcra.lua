-- A token bucket and nothing else: what a careful author writes who needs only this one. No fractions of a
-- microsecond, no charge, no care for clocks that go back or for values that somebody planted.
--
-- KEYS[1] state   ARGV cost, limit, microseconds per unit   Reply as lua/decide.lua
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval = tonumber(ARGV[3])
local taken, capacity = ARGV[1] * interval, ARGV[2] * interval

local used = (tonumber(redis.call('GET', KEYS[1])) or 0) - now
if used < 0 then
  used = 0
end
local allowed = 0
if used + taken <= capacity then
  allowed, used = 1, used + taken
  local tat = now + used
  redis.call('SET', KEYS[1], string.format('%.0f', tat), 'PXAT', math.floor(tat / 1000) + 1)
end

local excess = used + taken - capacity
return { now, allowed, math.floor((capacity - used) / interval), excess > 0 and excess or 0, used }
