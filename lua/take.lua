-- Decides for a region what it could not decide by the units that it has, and takes the next units for it, in the same call. Either
-- every policy takes its cost, or none does; in both cases the region's debts are charged, and each policy gives the units that the
-- region asks for, as far as it has them.
--
-- KEYS, ARGV   those of decide.lua, with the operation `take` and a cost of 0 for a policy that the region has decided; every
--              policy is enforced
-- ARGV[5n+2]   of policy 1: the most units for the region
--   [5n+3]       how many of these are taken from whatever is left; further ones only from an eighth of it, so that the others
--                of many regions find some
--   [5n+4]       units that the region has admitted on credit
--   ...        then of policy 2, ...
--
-- Reply        that of decide.lua, and after the rows
--                taken   of policy 1, then of policy 2, ...: the units for the region
--                again   of policy 1, then of policy 2, ...: how long one more unit has to wait, 0 if not at all

local arguments = ARGV
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- @include read.lua
local last = #KEYS
local reply, changes = { now, 0, 0, 0, 0 }, {}
local fits, denied = {}, false

-- All policies are asked first: whether a cost is taken is not known before the last one has answered.
for step = 1, 2 * last do
  local policy = step > last and step - last or step
  local at, row, change = 5 * policy - 2, 4 * policy - 2, 3 * policy - 2
  local key, value, algorithm = KEYS[policy], values[policy], arguments[at]
  local own = arguments[at - 1] + 0
  local pass, cost = 'ask', math.max(1, own)
  if step > last then
    local wants = 5 * last + 3 * policy - 1
    local owed, extra = arguments[wants + 2] + 0, 0
    local charged = owed + (denied and 0 or own)
    if fits[policy] then
      local left = reply[row + 1] - charged
      local share = math.max(arguments[wants + 1] + 0, math.floor(left / 8))
      extra = math.max(0, math.min(arguments[wants] + 0, left, share))
    end
    reply[4 * last + 1 + policy] = extra
    cost = charged + extra
    pass = cost > 0 and 'charge' or pass
    cost = math.max(1, cost)
  end
  -- @include evaluate.lua
  if step <= last then
    fits[policy] = own == 0 or allowed == 1
    denied = denied or not fits[policy]
    reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after
  else
    -- A denied cost waits for all of its units, whatever was taken beside it.
    if fits[policy] then
      reply[row + 2] = retry_after
    end
    reply[row + 1], reply[row + 3] = remaining, reset_after
    reply[5 * last + 1 + policy] = retry_after
    changes[change], changes[change + 1], changes[change + 2] = bytes, place, expires
  end
end

for policy = 1, last do
  local key, change = KEYS[policy], 3 * policy - 2
  local bytes, place, expires = changes[change], changes[change + 1], changes[change + 2]
  -- @include write.lua
end
return reply
