-- Decides one request against every policy that applies to it, in one round trip: either all enforced policies take
-- their costs, or none does. decide-one.lua does the same for a single policy.
--
-- KEYS[i]           state of policy i; on a Redis Cluster all keys of one call share a hash slot
-- ARGV[1]           operation
--                     consume  take the cost if every policy allows it
--                     peek     report what consume would do, take nothing
--                     charge   take the cost whatever is left; a policy goes into debt by its limit at most
--                     reset    forget the units taken; needs no further arguments, replies now alone
-- ARGV[6i-4]        cost of policy i, a whole number of units from 0; for consume and peek at most the limit
-- ARGV[6i-3]        algorithm of policy i, the name of its file in algorithms/
-- ARGV[6i-2]        limit of policy i
-- ARGV[6i-1], [6i]  the algorithm's two parameters, as its file names them; 0 where it has only one
-- ARGV[6i+1]        the algorithm's ttl: how long a key is kept after a write; 0 where the state says when it expires; of a
--                   token bucket its setting, which begins with it
-- ARGV[6n+2]        roles, if one of the n policies is not enforced; a letter for each:
--                     e  enforced: its denial denies the request
--                     a  advisory: never denies; takes the cost where it has room and the request is allowed
--                     d  counts denials: charged one unit when another policy denies; denies the request while it has
--                        room for none; its cost is the charge in any case
-- ARGV[6n+3]        if one of the n policies is a concurrency policy and a hold takes part: the id of its slots; there
--                   are roles then, too
-- ARGV[6n+4]        how long the hold wants its slots kept, in microseconds
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

local last = #KEYS
local roles = arguments[6 * last + 2]
local reply = nil
-- The number of policies that deny.
local denials = 0

-- All policies but the last are asked first. The last one may take at once, because its answer completes the decision;
-- the others take after it. With roles, all take after all were asked.
for step = 1, 2 * last do
  local policy, pass = step, operation
  local row = 4 * step - 2
  if step > last then
    policy, row = step - last, row - 4 * last
  end
  -- `x + 0` converts a string more cheaply than tonumber(x). For the same reason the algorithms round with remainders
  -- where math.floor and math.ceil would do.
  local cost = arguments[6 * policy - 4] + 0
  local role = roles and string.sub(roles, policy, policy)
  if step > last then
    local denies = role == 'd' and reply[row] == 0 and 1 or 0
    if operation ~= 'consume' or not roles and (denials > 0 or policy == last) then
      break
    elseif role == 'd' then
      pass, cost = denials > denies and 'charge', 1
    elseif denials > 0 or reply[row] == 0 or cost == 0 then
      pass = false
    end
  elseif role == 'd' then
    pass = operation ~= 'consume' and 'peek' or cost > 0 and 'charge' or 'ask'
    if pass ~= 'charge' then
      cost = 1
    end
  elseif operation == 'consume' and (cost == 0 or step < last or roles or denials > 0) then
    pass = 'ask'
  elseif cost == 0 then
    pass = 'peek'
  end
  if pass then
    -- @include evaluate.lua
    if role == 'd' then
      -- After a charge, too: whether there is room for one more.
      allowed = retry_after == 0 and 1 or 0
      if step > last then
        allowed = reply[row]
      end
    end
    -- Room for one row from the start: growing the table costs more than all the arithmetic.
    reply = reply or { now, 0, 0, 0, 0 }
    reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after
    if step <= last and allowed == 0 and role ~= 'a' then
      denials = denials + 1
    end
  end
end
return reply
