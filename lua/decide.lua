-- Decides one request against every policy that applies to it, in one round trip:
-- either all policies take the cost, or none does.
--
-- KEYS[i]           state of policy i; all keys of one call share a hash tag
-- ARGV[1]           operation
--                     consume  take the cost if every policy allows it
--                     peek     say what consume would do, take nothing
--                     charge   take the cost whatever is left; a policy goes into debt by its limit at most
--                     reset    forget what was taken; needs no further arguments, replies now alone
-- ARGV[2]           cost, a whole number of units from 1; for consume and peek at most the smallest limit
-- ARGV[4i-1]        algorithm of policy i, the name of its file in algorithms/
-- ARGV[4i .. 4i+2]  limit of policy i and the algorithm's two parameters
--
-- Reply, integers only, times in microseconds:
--   now,                                          the server's clock
--   allowed, remaining, retry_after, reset_after  of policy 1, then of policy 2, ...
-- allowed      1 if this policy alone has room for the cost, else 0
-- remaining    units left afterwards
-- retry_after  how long the same cost (after a charge: one unit) would now have to wait, 0 if not at all
-- reset_after  how long until the whole limit is available again

local operation, cost = ARGV[1], tonumber(ARGV[2])

-- Read once: before Redis 7.2 TIME moves on while a script runs.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

if operation == 'reset' then
  redis.call('DEL', unpack(KEYS))
  return { now }
end

-- Each algorithm is a function
--   (key, now, operation, cost, limit, parameter, parameter) -> allowed, remaining, retry_after, reset_after
-- and is defined in the branch that calls it, so that a call builds only the one it needs.
local function decide(policy, operation)
  local at = 4 * policy - 1
  local key, algorithm, limit = KEYS[policy], ARGV[at], tonumber(ARGV[at + 1])
  local a, b = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])

  if algorithm == 'token-bucket' then
    -- @include algorithms/token-bucket.lua
    return token_bucket(key, now, operation, cost, limit, a, b)
  elseif algorithm == 'sliding-window-log' then
    -- @include algorithms/sliding-window-log.lua
    return sliding_window_log(key, now, operation, cost, limit, a)
  elseif algorithm == 'sliding-window-counter' then
    -- @include algorithms/sliding-window-counter.lua
    return sliding_window_counter(key, now, operation, cost, limit, a, b)
  elseif algorithm == 'segmented-window' then
    -- @include algorithms/segmented-window.lua
    return segmented_window(key, now, operation, cost, limit, a, b)
  elseif algorithm == 'fixed-window' then
    -- @include algorithms/fixed-window.lua
    return fixed_window(key, now, operation, cost, limit, a)
  end
  error('unknown algorithm ' .. algorithm)
end

local last = #KEYS
if last == 1 then
  return { now, decide(1, operation) }
end

-- All but the last policy are asked first; the last may take at once, because by then its word is the final one.
local reply = { now }
local first_pass = operation == 'consume' and 'peek' or operation
local all_allowed = true
for policy = 1, last do
  if policy == last and all_allowed then
    first_pass = operation
  end
  local allowed, remaining, retry_after, reset_after = decide(policy, first_pass)
  local row = 4 * policy - 2
  reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after
  all_allowed = all_allowed and allowed == 1
end

if operation == 'consume' and all_allowed then
  for policy = 1, last - 1 do
    local row = 4 * policy - 2
    reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = decide(policy, operation)
  end
end
return reply
