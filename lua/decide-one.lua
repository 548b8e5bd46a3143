-- Decides one request against one policy, enforced or advisory: as decide.lua does, without the parts that only several
-- policies need. Most limiters have one policy, and the CPU time of Redis bounds them.
--
-- KEYS, ARGV, reply  those of decide.lua for one policy without roles; the operation is never `reset`

-- Lua looks a global up with each use, and a local only once.
local arguments = ARGV
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local pass, cost, at, algorithm = arguments[1], arguments[2] + 0, 3, arguments[3]
local key, value = KEYS[1], false
if algorithm == 'sliding-window-log' then
  value = redis.pcall('GETRANGE', key, '-33', '-1')
elseif algorithm ~= 'concurrency' then
  value = redis.pcall('GET', key)
end
-- @include evaluate.lua
-- @include write.lua
return { now, allowed, remaining, retry_after, reset_after }
