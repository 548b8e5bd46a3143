-- Asks one policy, in a script that includes this file. It writes nothing, so that a policy can be asked again if another one
-- denies; only concurrency writes by itself, when it takes a slot.
--   reads the locals  arguments, now, key, pass, cost
--                     algorithm, at  the name of its algorithm, and its place in the arguments
--                     value    what was read of its state; false, or the table of an error, if there is none
--                     pass     consume, peek or charge; or ask: takes nothing, but the client acts on the answer, so a clock
--                              step is written
--   makes the locals  allowed, remaining, retry_after, reset_after
--                     bytes    what has to be written; nil if nothing changes
--                     place    where the bytes stand in the state, if they are a part of it
--                     expires  when the key expires, in milliseconds; then the bytes are the whole state
--
-- The build makes a branch for each file of algorithms/. Its function takes the arguments of all, and those that the file's
-- header names; its body stands in place of the call, because creating and calling a closure costs CPU with every
-- request. The build also cuts the branches apart: a script contains only the algorithms that its policies use.
local limit = arguments[at + 1] + 0
local allowed, remaining, retry_after, reset_after, bytes, place, expires
-- @algorithms allowed, remaining, retry_after, reset_after, bytes, place, expires = NAME(...)
