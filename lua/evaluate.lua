-- Asks one policy, inside a loop of the script that includes this file:
--   reads the locals  arguments, now, policy (a number from 1), pass, cost; pass is consume, peek or charge, or
--                     ask, a peek as part of a consume, after which a client obeys what the reply says
--   makes the locals  allowed, remaining, retry_after, reset_after
--
-- Each algorithm is a function of these and of its own parameters, which its file describes. The build puts the
-- function's body in place of the call, because creating and calling a closure costs CPU with every request. It also
-- cuts the branches apart: a script contains only the algorithms that its policies use.
local at = 6 * policy - 3
local key, algorithm, limit = KEYS[policy], arguments[at], arguments[at + 1] + 0
local allowed, remaining, retry_after, reset_after
if algorithm == 'token-bucket' then
  -- @include algorithms/token-bucket.lua
  local interval, divisor, setting = arguments[at + 2] + 0, arguments[at + 3] + 0, arguments[at + 4]
  allowed, remaining, retry_after, reset_after = token_bucket(key, now, pass, cost, limit, interval, divisor, setting)
elseif algorithm == 'sliding-window-log' then
  -- @include algorithms/sliding-window-log.lua
  local window, setting = arguments[at + 2] + 0, arguments[at + 4]
  allowed, remaining, retry_after, reset_after = sliding_window_log(key, now, pass, cost, limit, window, setting)
elseif algorithm == 'sliding-window-counter' then
  -- @include algorithms/sliding-window-counter.lua
  local window, tick = arguments[at + 2] + 0, arguments[at + 3] + 0
  allowed, remaining, retry_after, reset_after = sliding_window_counter(key, now, pass, cost, limit, window, tick)
elseif algorithm == 'segmented-window' then
  -- @include algorithms/segmented-window.lua
  local length, segments = arguments[at + 2] + 0, arguments[at + 3] + 0
  allowed, remaining, retry_after, reset_after = segmented_window(key, now, pass, cost, limit, length, segments)
elseif algorithm == 'fixed-window' then
  -- @include algorithms/fixed-window.lua
  local window, size_class = arguments[at + 2] + 0, arguments[at + 3] + 0
  allowed, remaining, retry_after, reset_after = fixed_window(key, now, pass, cost, limit, window, size_class)
elseif algorithm == 'concurrency' then
  -- @include algorithms/concurrency.lua
  local ttl, slot, hold_ttl = arguments[at + 2] + 0, arguments[6 * #KEYS + 3], arguments[6 * #KEYS + 4]
  allowed, remaining, retry_after, reset_after = concurrency(key, now, pass, cost, limit, ttl, slot, hold_ttl)
end
