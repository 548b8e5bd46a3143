-- One request against one policy, on the caller's clock instead of the server's.
-- ARGV as lua/decide.lua has them, and after them the time in microseconds.
local arguments, pass, at, algorithm = ARGV, ARGV[1], 3, ARGV[3]
local cost, now, key = arguments[2] + 0, arguments[7] + 0, KEYS[1]
-- @include ../../../lua/read.lua
local value = values[1]
-- @include ../../../lua/evaluate.lua
-- @include ../../../lua/write.lua
return { allowed, remaining, retry_after, reset_after }
