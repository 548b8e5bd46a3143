-- Notes an action outside the live rules in the audit.
--
-- KEYS[1]  state, KEYS[2]  audit
-- ARGV[1]  further fields of the audit's entry, without braces
-- ARGV[2]  how many entries of the audit are kept
--
-- Reply: 1.

-- @include begin.lua
require_kind(KEYS[2], 'list')
if foreign then
  return foreign
end
redis.call('HSET', KEYS[1], 'revision', revision)
redis.call('LPUSH', KEYS[2], '{"at":' .. now_ms .. ',' .. ARGV[1] .. '}')
redis.call('LTRIM', KEYS[2], 0, tonumber(ARGV[2]) - 1)
return { 1 }
