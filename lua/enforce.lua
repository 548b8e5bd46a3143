-- Decides one request against several policies, all of which are enforced.
--   reads the locals  arguments, operation, now
--                     values   the states of the policies, as read.lua makes them

local last = #KEYS
-- Room for five policies from the start: tables that grow cost more than all the arithmetic.
local reply = { now, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil }
-- The writes of the end: bytes, place and expires of each policy. Most denials change nothing, and do without the table.
local changes
-- The first policy that denies.
local denier

-- Each policy takes its cost, unless one before it denies. Those before it, which took, are asked again by the state that was read.
for step = 1, 2 * last do
  local policy, again = step, step > last
  if again then
    policy = step - last
  end
  if again and (operation ~= 'consume' or policy >= (denier or 1)) then
    break
  end
  local at, row = 5 * policy - 2, 4 * policy - 2
  local algorithm = arguments[at]
  local key, value, cost, pass = KEYS[policy], values[policy], arguments[at - 1] + 0, operation
  if operation == 'consume' and (cost == 0 or denier) then
    pass = 'ask'
  elseif cost == 0 then
    pass = 'peek'
  end
  -- @include evaluate.lua
  reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after
  if changes or bytes then
    local change = 3 * policy - 2
    changes = changes or { nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil }
    changes[change], changes[change + 1], changes[change + 2] = bytes, place, expires
  end
  if allowed == 0 then
    denier = denier or policy
  end
end

for policy = 1, changes and last or 0 do
  local key, change = KEYS[policy], 3 * policy - 2
  local bytes, place, expires = changes[change], changes[change + 1], changes[change + 2]
  -- @include write.lua
end
return reply
