-- Reads the states of all policies with one command, so that their number costs none: Redis in the cloud bills each command
-- inside a script. A log can be long, so that only its end is read; concurrency reads its sorted set itself.
--   reads the local  arguments
--   makes the local  values, by the number of the policy: its state, or false
local values, apart = nil, false
for policy = 1, #KEYS do
  local algorithm = arguments[5 * policy - 2]
  apart = apart or algorithm == 'sliding-window-log' or algorithm == 'concurrency'
end
if apart then
  -- Room for five policies from the start.
  local together, others = { nil, nil, nil, nil, nil }, 0
  for policy = 1, #KEYS do
    local algorithm = arguments[5 * policy - 2]
    if algorithm ~= 'sliding-window-log' and algorithm ~= 'concurrency' then
      others = others + 1
      together[others] = KEYS[policy]
    end
  end
  values = others > 0 and redis.call('MGET', unpack(together, 1, others)) or {}
  for policy = 1, #KEYS do
    local algorithm = arguments[5 * policy - 2]
    if algorithm == 'sliding-window-log' then
      table.insert(values, policy, redis.pcall('GETRANGE', KEYS[policy], '-33', '-1'))
    end
    if algorithm == 'concurrency' then
      table.insert(values, policy, false)
    end
  end
else
  values = redis.call('MGET', unpack(KEYS))
end
