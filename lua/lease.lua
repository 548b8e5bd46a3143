-- Takes units in advance: as many as every enforced policy has room for, at most the cost. If one has room for none,
-- none are taken. Advisory policies are charged the units taken, as far as they have room.
--
-- KEYS, ARGV  those of decide.lua, with the operation `lease` and the same cost for every policy
-- Reply       that of decide.lua, where allowed and retry_after are about one unit, and after the rows
--               taken    the number of units taken, 0 if the lease was denied
--               charged  of policy 1, then of policy 2, ..., if there are roles: how many of these units it had room for

local arguments = ARGV
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- @include read.lua
local taken = arguments[2] + 0
local last = #KEYS
local roles = arguments[5 * last + 2] or ''
local reply, changes = { now }, {}

-- All policies are asked for one unit first: the number to take is not known before the last one has answered.
for step = 1, 2 * last do
  local policy, pass, cost = step, 'ask', 1
  if step > last then
    policy = step - last
    -- A policy without room has 0 remaining, so that nothing is taken.
    pass, cost = 'charge', taken
  end
  local row, change = 4 * policy - 2, 3 * policy - 2
  local advisory = string.sub(roles, policy, policy) == 'a'
  if advisory and step > last then
    cost = math.min(cost, reply[row + 1])
  end
  if step > last and roles ~= '' then
    reply[4 * last + 2 + policy] = cost
  end
  if cost > 0 then
    local key, value = KEYS[policy], values[policy]
    -- @include evaluate.lua
    reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after
    changes[change], changes[change + 1], changes[change + 2] = bytes, place, expires
    if step <= last and not advisory then
      taken = math.min(taken, remaining)
    end
  end
end
reply[4 * last + 2] = taken

for policy = 1, last do
  local key, change = KEYS[policy], 3 * policy - 2
  local bytes, place, expires = changes[change], changes[change + 1], changes[change + 2]
  -- @include write.lua
end
return reply
