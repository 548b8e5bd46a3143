-- Takes units in advance: as many as every policy has room for, at most the cost. If a policy has room for none, none
-- are taken.
--
-- KEYS, ARGV  those of decide.lua, with the operation `lease`
-- Reply       that of decide.lua, where allowed and retry_after are about one unit, and after the rows
--               taken  the number of units taken, 0 if the lease was denied

local arguments = ARGV
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local taken = arguments[2] + 0
local last = #KEYS
local reply = { now, 0, 0, 0, 0 }

-- All policies are asked for one unit first: how much to take is not known before the last one has answered.
local pass, cost = 'peek', 1
for step = 1, 2 * last do
  local policy = step
  if step > last then
    -- A policy without room has 0 remaining, so that nothing is taken.
    if taken == 0 then
      break
    end
    policy, pass, cost = step - last, 'charge', taken
  end
  -- @include evaluate.lua
  local row = 4 * policy - 2
  reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after
  if pass == 'peek' then
    taken = math.min(taken, remaining)
  end
end
reply[#reply + 1] = taken
return reply
