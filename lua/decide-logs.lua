-- Decides one request against several policies as decide-enforced.lua does. A limiter with a log has this script instead: of a log,
-- only the end is read.
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

-- @include read.lua

-- @include enforce.lua
