-- Decides one request against every policy that applies to it, in one round trip: either all enforced policies take
-- their costs, or none does. decide-one.lua does the same for a single policy.
--
-- KEYS[i]             state of policy i; on a Redis Cluster all keys of one call share a hash slot
-- ARGV[1]             operation
--                       consume  take the cost if every policy allows it
--                       peek     report what consume would do, take nothing
--                       charge   take the cost whatever is left
--                       reset    forget the units taken; needs no further arguments, replies now alone
-- ARGV[5i-3]          cost of policy i, a whole number of units from 0; for consume and peek at most the limit
-- ARGV[5i-2]          algorithm of policy i, the name of its file in algorithms/
-- ARGV[5i-1]          limit of policy i
-- ARGV[5i], [5i+1]    the algorithm's two parameters, as its file names them; 0 where it has only one
-- ARGV[5n+2]          roles, if one of the n policies is not enforced; a letter for each:
--                       e  enforced: its denial denies the request
--                       a  advisory: never denies; takes the cost where it has room and the request is allowed
--                       d  counts denials: charged one unit when another policy denies; denies the request while it has
--                          room for none; its cost is the charge in any case
--                       o  owed: advisory, for requests that were admitted before; consume and charge take as much of
--                          the cost as it has room for, whatever the others decide; allowed and retry_after are of one unit
-- ARGV[5n+3]          if one of the n policies is a concurrency policy and a hold takes part: the id of its slots; there
--                     are roles then, too
-- ARGV[5n+4]          how long the hold wants its slots kept, in microseconds
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

-- @include read.lua

local last = #KEYS
local roles = arguments[5 * last + 2]
local owes = roles and string.find(roles, 'o', 1, true)
-- Room for five policies from the start: tables that grow cost more than all the arithmetic.
local reply = { now, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil }
-- The writes of the end: bytes, place and expires of each policy. Most denials change nothing, and do without the table.
local changes
-- How many policies deny, and the first of them.
local denials, denier = 0, nil

-- Each policy takes its cost, unless one before it denies. When all have answered, those are asked again whose answer depends on
-- the others: the policies that took before another one denied, those that count denials, and slots, which are written at
-- once. A policy is always asked by the state that was read.
for step = 1, 2 * last do
  local policy, again = step, step > last
  if again then
    policy = step - last
  end
  -- Without roles, only policies before the one that denied have taken something.
  if again and not owes and (operation ~= 'consume' or not roles and policy >= (denier or 1)) then
    break
  end
  local at, row = 5 * policy - 2, 4 * policy - 2
  local role = roles and string.sub(roles, policy, policy)
  local algorithm = arguments[at]
  local holds = algorithm == 'concurrency'
  -- `x + 0` converts a string more cheaply than tonumber(x).
  local key, value, cost, pass = KEYS[policy], values[policy], arguments[at - 1] + 0, operation
  if role == 'o' then
    -- The first pass found out whether it has room.
    pass, cost = 'peek', again and math.min(cost, reply[row + 1]) or 1
    if again then
      pass = cost > 0 and operation ~= 'peek' and 'charge'
    end
  elseif again and operation ~= 'consume' then
    pass = false
  elseif role == 'd' then
    -- Asked whether it has room for one more. A charge answers that, too.
    local denies = again and reply[row] == 0 and 1 or 0
    if again and denials > denies then
      pass, cost = 'charge', cost + 1
    elseif again then
      pass = false
    elseif operation == 'consume' and cost > 0 then
      pass = 'charge'
    else
      pass, cost = operation == 'consume' and 'ask' or 'peek', 1
    end
  elseif again then
    local takes_slot = holds and denials == 0 and reply[row] == 1
    local took = not holds and denier and policy < denier
    pass = cost > 0 and (takes_slot and 'consume' or took and 'ask')
  elseif operation == 'consume' and (cost == 0 or denier or holds) then
    pass = 'ask'
  elseif cost == 0 then
    pass = 'peek'
  end
  if pass then
    -- @include evaluate.lua
    if role == 'd' then
      allowed = again and reply[row] or retry_after == 0 and 1 or 0
    end
    reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after
    if changes or bytes then
      local change = 3 * policy - 2
      changes = changes or { nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil }
      changes[change], changes[change + 1], changes[change + 2] = bytes, place, expires
    end
    if not again and allowed == 0 and role ~= 'a' and role ~= 'o' then
      denials, denier = denials + 1, denier or policy
    end
  end
end

for policy = 1, changes and last or 0 do
  local key, change = KEYS[policy], 3 * policy - 2
  local bytes, place, expires = changes[change], changes[change + 1], changes[change + 2]
  -- @include write.lua
end
return reply
