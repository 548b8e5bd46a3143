-- The token bucket as it is found in tutorials: tokens and the time of the last refill in a hash.
--
-- KEYS[1] hash: tokens, refilled   ARGV cost, limit, units per millisecond   Reply allowed, remaining
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local cost, limit, rate = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local state = redis.call('HMGET', KEYS[1], 'tokens', 'refilled')
local tokens, refilled = tonumber(state[1]) or limit, tonumber(state[2]) or now
tokens = math.min(limit, tokens + math.max(0, now - refilled) * rate)
local allowed = tokens >= cost
if allowed then
  tokens = tokens - cost
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'refilled', string.format('%.3f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(limit / rate))
return { allowed and 1 or 0, math.floor(tokens) }
