-- Puts back what an isolate holds and the store has lost, if the store still is as the isolate has read it.
--
-- KEYS[1]  state, KEYS[2]  entries, KEYS[3]  history, KEYS[4]  audit
-- ARGV[1]  the revision that the store has to have; 0 for none
-- ARGV[2]  revision, ARGV[3]  lineage, ARGV[4]  time of the loss, ARGV[5]  version, ARGV[6]  time of its publishing, and
-- ARGV[7]  document of the state that takes its place; 0 and an empty document where nothing is published
-- ARGV[8]  the version that is tried, ARGV[9]  its terms, ARGV[10]  its document; 0 and empty where there is none
-- ARGV[11] further fields of the audit's entry, without braces, ARGV[12] how many entries of the audit are kept
-- ARGV[13] how many documents follow, each with its version and the head of its history; then the entries, each with its field
--
-- Reply: 1, or 0 if the store has another revision.

-- @include begin.lua
require_kind(KEYS[2], 'hash')
require_kind(KEYS[3], 'hash')
require_kind(KEYS[4], 'list')
if foreign then
  return foreign
end
if whole(state[1], now + 86400000000) ~= tonumber(ARGV[1]) then
  return { 0 }
end

redis.call('DEL', KEYS[1], KEYS[2])
redis.call('HSET', KEYS[1], 'revision', ARGV[2], 'lineage', ARGV[3], 'lostAt', ARGV[4])
if ARGV[7] ~= '' then
  redis.call('HSET', KEYS[1], 'version', ARGV[5], 'publishedAt', ARGV[6], 'document', ARGV[7])
end
if ARGV[10] ~= '' then
  redis.call('HSET', KEYS[1], 'trial', ARGV[8], 'trialTerms', ARGV[9], 'trialDocument', ARGV[10])
end
local at = 14
for _ = 1, tonumber(ARGV[13]) do
  if not redis.call('HGET', KEYS[3], ARGV[at]) then
    redis.call('HSET', KEYS[3], ARGV[at], ARGV[at + 1] .. ',"document":' .. ARGV[at + 2] .. '}')
  end
  at = at + 3
end
for first = at, #ARGV, 1000 do
  redis.call('HSET', KEYS[2], unpack(ARGV, first, math.min(first + 999, #ARGV)))
end
audit(KEYS[4], '"version":' .. ARGV[5] .. ',' .. ARGV[11], ARGV[12])
return { 1 }
