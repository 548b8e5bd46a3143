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
redis.call('HSET', KEYS[1], 'revision', revision, 'lineage', lineage)
audit(KEYS[2], ARGV[1], ARGV[2])
return { 1 }
