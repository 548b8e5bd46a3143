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
redis.call('HSET', KEYS[1], 'revision', revision, 'lineage', lineage)
if not known then
  return { 0 }
end
redis.call('HDEL', KEYS[2], ARGV[1])
audit(KEYS[3], ARGV[2], ARGV[3])
return { 1 }
