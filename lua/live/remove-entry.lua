-- Removes an entry, and forgets those that have ended.
--
-- KEYS[1]  state, KEYS[2]  entries, KEYS[3]  audit
-- ARGV[1]  the field
-- ARGV[2]  further fields of the audit's entry, without braces
-- ARGV[3]  how many entries of the audit are kept
--
-- Reply: 1, or 0 if there is no such entry.

-- @include begin.lua
require_kind(KEYS[2], 'hash')
require_kind(KEYS[3], 'list')
if foreign then
  return foreign
end
-- @include sweep.lua
redis.call('HSET', KEYS[1], 'revision', revision)
if not known then
  return { 0 }
end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('LPUSH', KEYS[3], '{"at":' .. now_ms .. ',' .. ARGV[2] .. '}')
redis.call('LTRIM', KEYS[3], 0, tonumber(ARGV[3]) - 1)
return { 1 }
