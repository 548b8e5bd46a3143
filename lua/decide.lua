-- Decides one request against every policy that applies to it, in one round trip: either all policies take the cost,
-- or none does.
--
-- KEYS[i]           state of policy i; all keys of one call share a hash tag
-- ARGV[1]           operation
--                     consume  take the cost if every policy allows it
--                     peek     say what consume would do, take nothing
--                     charge   take the cost whatever is left; a policy goes into debt by its limit at most
--                     reset    forget what was taken; needs no further arguments, replies now alone
-- ARGV[2]           cost, a whole number of units from 1; for consume and peek at most the smallest limit
-- ARGV[5i-2]        algorithm of policy i, the name of its file in algorithms/
-- ARGV[5i-1]        limit of policy i
-- ARGV[5i], [5i+1]  the algorithm's two parameters, as its file names them; 0 where it has only one
-- ARGV[5i+2]        the algorithm's ttl: how long a key is kept after a write; 0 where the state says when it expires
--
-- Reply, integers only, times in microseconds:
--   now,                                          the server's clock
--   allowed, remaining, retry_after, reset_after  of policy 1, then of policy 2, ...
-- allowed      1 if this policy alone has room for the cost, else 0
-- remaining    units left afterwards
-- retry_after  how long the same cost (after a charge: one unit) would now have to wait, 0 if not at all
-- reset_after  how long until the whole limit is available again

-- Lua looks a global up with each use, and a local only once.
local arguments = ARGV
local operation = arguments[1]

-- Read once: before Redis 7.2, TIME moves on while a script runs.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

if operation == 'reset' then
  redis.call('DEL', unpack(KEYS))
  return { now }
end

-- `x + 0` converts a string more cheaply than tonumber(x). For the same reason the algorithms round with remainders
-- where math.floor and math.ceil would do.
local cost = arguments[2] + 0

local reply = nil
local last = #KEYS
local all_allowed = true

-- All policies but the last are asked first. The last one may take at once, because its answer completes the decision;
-- the others take after it.
for step = 1, 2 * last - 1 do
  local policy, pass = step, operation
  if operation == 'consume' and (step < last or not all_allowed) then
    pass = 'peek'
  end
  if step > last then
    if pass ~= 'consume' then
      break
    end
    policy = step - last
  end
  -- @include evaluate.lua
  if last == 1 then
    return { now, allowed, remaining, retry_after, reset_after }
  end
  -- Room for one row from the start: growing the table costs more than all the arithmetic.
  reply = reply or { now, 0, 0, 0, 0 }
  local row = 4 * policy - 2
  reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after
  all_allowed = all_allowed and allowed == 1
end
return reply
