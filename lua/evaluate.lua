-- Asks one policy, inside a loop of the script that includes this file:
--   reads the locals  arguments, now, policy (a number from 1), pass, cost; pass is consume, peek or charge, or
--                     ask, a peek as part of a consume, after which a client obeys the reply
--   makes the locals  allowed, remaining, retry_after, reset_after
--
-- The build makes a branch for each file of algorithms/. Its function takes the arguments of all, and those that the file's
-- header names; its body stands in place of the call, because creating and calling a closure costs CPU with every
-- request. The build also cuts the branches apart: a script contains only the algorithms that its policies use.
local at = 6 * policy - 3
local key, algorithm, limit = KEYS[policy], arguments[at], arguments[at + 1] + 0
local allowed, remaining, retry_after, reset_after
-- @algorithms allowed, remaining, retry_after, reset_after = NAME(...)
