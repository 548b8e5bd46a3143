-- One request against one policy, on the caller's clock instead of the server's.
-- ARGV as lua/decide.lua has them, and after them the time in microseconds.
local arguments, policy, pass = ARGV, 1, ARGV[1]
local cost, now = arguments[2] + 0, arguments[8] + 0
-- @include ../../../lua/evaluate.lua
return { allowed, remaining, retry_after, reset_after }
