-- Stands in a loop of the script that includes it, and asks one policy there:
--   of its locals arguments, now, policy (a number from 1), pass (consume, peek or charge) and cost,
--   makes the locals allowed, remaining, retry_after and reset_after.

-- Each algorithm is a function, defined in the branch that calls it: the build cuts the branches apart, and a script
-- has only those of the algorithms that its policies use.
--   (key, now, operation, cost, limit, parameter, parameter, ttl) -> allowed, remaining, retry_after, reset_after
local at = 5 * policy - 2
local key, algorithm, limit = KEYS[policy], arguments[at], arguments[at + 1] + 0
local a, b, ttl = arguments[at + 2] + 0, arguments[at + 3] + 0, arguments[at + 4]
local allowed, remaining, retry_after, reset_after
if algorithm == 'token-bucket' then
  -- @include algorithms/token-bucket.lua
  allowed, remaining, retry_after, reset_after = token_bucket(key, now, pass, cost, limit, a, b, ttl)
elseif algorithm == 'sliding-window-log' then
  -- @include algorithms/sliding-window-log.lua
  allowed, remaining, retry_after, reset_after = sliding_window_log(key, now, pass, cost, limit, a, b, ttl)
elseif algorithm == 'sliding-window-counter' then
  -- @include algorithms/sliding-window-counter.lua
  allowed, remaining, retry_after, reset_after = sliding_window_counter(key, now, pass, cost, limit, a, b)
elseif algorithm == 'segmented-window' then
  -- @include algorithms/segmented-window.lua
  allowed, remaining, retry_after, reset_after = segmented_window(key, now, pass, cost, limit, a, b)
elseif algorithm == 'fixed-window' then
  -- @include algorithms/fixed-window.lua
  allowed, remaining, retry_after, reset_after = fixed_window(key, now, pass, cost, limit, a, b)
end
