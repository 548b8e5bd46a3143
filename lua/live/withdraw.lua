-- Takes the published document back, and a version that is tried, so that the deployed rules are in force. The history keeps both,
-- and the entries stay.
--
-- KEYS[1]  state, KEYS[2]  history, KEYS[3]  audit
-- ARGV[1]  the newest version
-- ARGV[2]  further fields of the audit's entry, without braces, ARGV[3]  how many entries of the audit are kept
--
-- Reply: 1, 0, and the time in milliseconds; or 0 and the newest version.

-- @include begin.lua
require_kind(KEYS[2], 'hash')
require_kind(KEYS[3], 'list')
if foreign then
  return foreign
end
if newest ~= tonumber(ARGV[1]) then
  return { 0, newest }
end
-- @include end-trial.lua
if tried > 0 then
  take_back()
end
redis.call('HDEL', KEYS[1], 'version', 'publishedAt', 'document')
redis.call('HSET', KEYS[1], 'revision', revision, 'lineage', lineage, 'lostAt', 0)
audit(KEYS[3], ARGV[2], ARGV[3])
return { 1, 0, tonumber(now_ms) }
