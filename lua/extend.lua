-- Keeps the slots of one hold for longer, in one round trip: those that it still has, and no others.
--
-- KEYS[i]    state of concurrency policy i, as in decide.lua
-- ARGV[1]    the id of the hold's slots
-- ARGV[2]    how long they are kept from now, in microseconds, at most the policy's ttl; a slot may have had longer left
-- ARGV[i+2]  ttl of policy i, in microseconds
--
-- Reply, integers only:
--   now,       the server's clock in microseconds
--   extended   of policy 1, then of policy 2, ...: 1 if the slot is kept, 0 if it had expired or was given back

local arguments = ARGV
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local slot, hold_ttl = arguments[1], arguments[2] + 0
local reply = { now }

for policy = 1, #KEYS do
  -- @include algorithms/concurrency.lua
  local key, ttl = KEYS[policy], arguments[policy + 2] + 0
  local extended = concurrency_extend(key, now, ttl, slot, hold_ttl)
  reply[policy + 1] = extended
end
return reply
