-- Keeps a document as the draft.
--
-- KEYS[1]  state, KEYS[2]  draft, KEYS[3]  audit
-- ARGV[1]  the version that has to be published; empty for any
-- ARGV[2]  the document as JSON
-- ARGV[3]  further fields of the draft, ARGV[4] of the audit's entry, without braces
-- ARGV[5]  how many entries of the audit are kept
--
-- Reply: 1, the version that the draft is based on, and the time in milliseconds; or 0 and the published version.

-- @include begin.lua
require_kind(KEYS[2], 'string')
require_kind(KEYS[3], 'list')
if foreign then
  return foreign
end
if ARGV[1] ~= '' and stored ~= tonumber(ARGV[1]) then
  return { 0, stored }
end

local number = string.format('%.0f', stored)
local begin = '{"basedOn":' .. number .. ',"savedAt":' .. now_ms .. ','
redis.call('HSET', KEYS[1], 'revision', revision, 'lineage', lineage)
redis.call('SET', KEYS[2], begin .. ARGV[3] .. ',"document":' .. ARGV[2] .. '}')
audit(KEYS[3], '"version":' .. number .. ',' .. ARGV[4], ARGV[5])
return { 1, stored, tonumber(now_ms) }
