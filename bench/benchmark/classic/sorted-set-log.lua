-- The log as it is found in tutorials: a sorted set with a member per unit, scored by its time.
--
-- KEYS[1] sorted set   ARGV cost, limit, window in microseconds   Reply allowed, remaining
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local cost, limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local used = redis.call('ZCARD', KEYS[1])
if used + cost > limit then
  return { 0, limit - used }
end
for unit = 1, cost do
  redis.call('ZADD', KEYS[1], now, string.format('%.0f-%d', now, unit))
end
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
return { 1, limit - used - cost }
