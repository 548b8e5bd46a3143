-- Gives the units of a consume back to the place from which it took them, in one round trip: never more than these, and
-- none in case of doubt, so that no policy lets more through than it would have without that request.
--
-- KEYS[i]             state of policy i, as in decide.lua
-- ARGV[1]             taken_at: the server's clock when the units were taken, as the reply of decide.lua reports it
-- ARGV[5i-3]          how many of the units policy i gets back
-- ARGV[5i-2]..[5i+1]  algorithm, limit and two parameters of policy i, as decide.lua takes them
-- ARGV[5n+3]          id of the slot that the hold gives back, if one of the n policies is a concurrency policy
--
-- Reply, integers only:
--   now,      the server's clock in microseconds
--   refunded  of policy 1, then of policy 2, ...: how many units came back; for a token bucket the time of their refill,
--             in units of 1/divisor microsecond
--
-- A refund never makes a key, and never lets one live longer. The script has all algorithms: it runs too rarely for fewer to
-- matter.

local arguments = ARGV
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- @include read.lua
local taken_at = arguments[1] + 0
local reply = { now }

for policy = 1, #KEYS do
  local at = 5 * policy - 2
  local key, value, cost = KEYS[policy], values[policy], arguments[at - 1] + 0
  local algorithm, limit = arguments[at], arguments[at + 1] + 0
  local refunded, state = 0, nil
  -- Units of a time to come stay: the clock has stepped back since, and the state is no proof of that time.
  -- @algorithms refunded, state = NAME_refund(...)
  reply[policy + 1] = refunded
  if state then
    redis.call('SET', key, state, 'KEEPTTL')
  end
end
return reply
