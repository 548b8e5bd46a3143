-- Decides one request against several policies, all of which are enforced, and none of which gives slots or keeps a log: as
-- decide.lua does, without the parts that these need. A limiter without these has this script instead.
--
-- KEYS, ARGV, reply  those of decide.lua without roles

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

-- With one command, so that their number costs none: Redis in the cloud bills each command inside a script.
local values = redis.call('MGET', unpack(KEYS))

-- @include enforce.lua
