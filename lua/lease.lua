-- Takes units ahead, for a while to come: as many up to the cost as every policy has room for, if that is one or more.
-- KEYS and ARGV as decide.lua has them, the operation `lease`.
--
-- Reply: as decide.lua's, where allowed and retry_after are about one unit, and then
--   taken  how many units, 0 if it was denied

local arguments = ARGV
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local taken = arguments[2] + 0
local last = #KEYS
local reply = { now, 0, 0, 0, 0 }

-- All policies are asked for one unit first: nobody knows how much to take before the last has said what it has.
local pass, cost = 'peek', 1
for step = 1, 2 * last do
  local policy = step
  if step > last then
    -- Of a policy without room nothing remains.
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
