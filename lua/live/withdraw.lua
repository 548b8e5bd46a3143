-- Takes the published document back, so that the deployed rules are in force. The history keeps it, and the entries stay.
--
-- KEYS[1]  state, KEYS[2]  audit
-- ARGV[1]  the version that has to be published
-- ARGV[2]  further fields of the audit's entry, without braces, ARGV[3]  how many entries of the audit are kept
--
-- Reply: 1, 0, and the time in milliseconds; or 0 and the version that is published instead.

-- @include begin.lua
require_kind(KEYS[2], 'list')
if foreign then
  return foreign
end
if stored ~= tonumber(ARGV[1]) then
  return { 0, stored }
end
redis.call('HDEL', KEYS[1], 'version', 'publishedAt', 'document')
redis.call('HSET', KEYS[1], 'revision', revision, 'lineage', lineage, 'lostAt', 0)
audit(KEYS[2], ARGV[2], ARGV[3])
return { 1, 0, tonumber(now_ms) }
