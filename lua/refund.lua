-- Gives back what a consume took, to where it was taken, in one round trip: never more than that, and nothing where
-- anything is in doubt, so that no policy lets more through than it would have without that request.
--
-- KEYS[i]             state of policy i, as in decide.lua
-- ARGV[1]             taken_at: the server's clock when the units were taken, as the reply of decide.lua reports it
-- ARGV[6i-4]          how many of the units policy i gets back
-- ARGV[6i-3]..[6i+1]  algorithm, limit, two parameters and ttl of policy i, as decide.lua takes them
-- ARGV[6n+3]          id of the slot that the hold gives back, if one of the n policies is a concurrency policy
--
-- Reply, integers only:
--   now,   the server's clock in microseconds
--   given  of policy 1, then of policy 2, ...: how many units came back; for a token bucket the time of their refill, in
--          units of 1/divisor microsecond
--
-- A refund never makes a key, and never lets one live longer. If the state has other parameters than the policy, the
-- policy was changed, and nothing comes back. The script has all algorithms: it runs too rarely for fewer to matter.

local arguments = ARGV
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local taken_at = arguments[1] + 0
local reply = { now }

for policy = 1, #KEYS do
  local at = 6 * policy - 4
  local key, cost, algorithm, limit = KEYS[policy], arguments[at] + 0, arguments[at + 1], arguments[at + 2] + 0
  local given = 0
  if algorithm == 'concurrency' then
    -- @include algorithms/concurrency.lua
    local slot = arguments[6 * #KEYS + 3]
    given = concurrency_refund(key, now, slot)
  -- Else the clock has stepped back: what the state says about a time to come is in doubt.
  elseif taken_at <= now then
    if algorithm == 'token-bucket' then
      -- @include algorithms/token-bucket.lua
      local interval, divisor = arguments[at + 3] + 0, arguments[at + 4] + 0
      given = token_bucket_refund(key, now, taken_at, cost, limit, interval, divisor)
    elseif algorithm == 'sliding-window-log' then
      -- @include algorithms/sliding-window-log.lua
      given = sliding_window_log_refund(key, now, taken_at, cost)
    elseif algorithm == 'sliding-window-counter' then
      -- @include algorithms/sliding-window-counter.lua
      local window = arguments[at + 3] + 0
      given = sliding_window_counter_refund(key, now, taken_at, cost, limit, window)
    elseif algorithm == 'segmented-window' then
      -- @include algorithms/segmented-window.lua
      local length, segments = arguments[at + 3] + 0, arguments[at + 4] + 0
      given = segmented_window_refund(key, now, taken_at, cost, limit, length, segments)
    elseif algorithm == 'fixed-window' then
      -- @include algorithms/fixed-window.lua
      local window, size_class = arguments[at + 3] + 0, arguments[at + 4] + 0
      given = fixed_window_refund(key, now, taken_at, cost, limit, window, size_class)
    end
  end
  reply[policy + 1] = given
end
return reply
