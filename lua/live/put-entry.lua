-- Puts an entry in place of the one with the same field, and forgets entries that have ended.
--
-- KEYS[1]  state, KEYS[2]  entries: a hash of JSON, KEYS[3]  audit
-- ARGV[1]  the field
-- ARGV[2]  the entry as JSON
-- ARGV[3]  further fields of its record, ARGV[4] of the audit's entry, without braces
-- ARGV[5]  how many entries there may be, ARGV[6] how many bytes of them
-- ARGV[7]  how many entries of the audit are kept
-- ARGV[8]  the version that the entry was checked with; empty for any
--
-- Reply: 1 and the time in milliseconds; 0 if there are too many; or 2 and the version that is published instead.

-- @include begin.lua
require_kind(KEYS[2], 'hash')
require_kind(KEYS[3], 'list')
if foreign then
  return foreign
end
if ARGV[8] ~= '' and stored ~= tonumber(ARGV[8]) then
  return { 2, stored }
end
-- @include sweep.lua
redis.call('HSET', KEYS[1], 'revision', revision, 'lineage', lineage)
local entry = '{"entry":' .. ARGV[2] .. ',"at":' .. now_ms .. ',' .. ARGV[3] .. '}'
if not known and count >= tonumber(ARGV[5]) or bytes + #ARGV[1] + #entry > tonumber(ARGV[6]) then
  return { 0 }
end
redis.call('HSET', KEYS[2], ARGV[1], entry)
audit(KEYS[3], ARGV[4], ARGV[7])
return { 1, tonumber(now_ms) }
