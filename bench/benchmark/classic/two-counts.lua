-- A sliding window counter and nothing else, as its author would write it who needs only this one.
--
-- KEYS[1] hash: start, current, previous   ARGV cost, limit, window in microseconds   Reply as lua/decide.lua
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local cost, limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local state = redis.call('HMGET', KEYS[1], 'start', 'current', 'previous')
local start, current, previous = tonumber(state[1]), tonumber(state[2]), tonumber(state[3])
local fresh = false
if not start or now - start >= 2 * window then
  start, current, previous, fresh = now - now % window, 0, 0, true
elseif now - start >= window then
  start, current, previous, fresh = start + window, 0, current, true
end

local carried = previous * (window - (now - start))
local allowed = 0
if carried + (current + cost) * window <= limit * window then
  allowed, current = 1, current + cost
  if fresh then
    redis.call('HSET', KEYS[1], 'start', string.format('%.0f', start), 'current', current, 'previous', previous)
    redis.call('PEXPIREAT', KEYS[1], math.floor((start + 2 * window) / 1000) + 1)
  else
    redis.call('HINCRBY', KEYS[1], 'current', cost)
  end
end

local retry_after = 0
if carried + (current + cost) * window > limit * window then
  if current + cost <= limit then
    retry_after = start + window - math.floor((limit - current - cost) * window / previous) - now
  else
    retry_after = start + 2 * window - math.floor((limit - cost) * window / current) - now
  end
end
local reset_after = 0
if current > 0 then
  reset_after = start + 2 * window - now
elseif previous > 0 then
  reset_after = start + window - now
end
local remaining = limit - current - math.ceil(carried / window)
return { now, allowed, remaining > 0 and remaining or 0, retry_after, reset_after }
