-- Publishes a document to all clients, or to a part of them beside the published one, if the newest version is still the one
-- that the document is based on. A version that was tried until now is taken back.
--
-- KEYS[1]  state: the hash of the revision and of the published document
-- KEYS[2]  history: a hash of JSON by version
-- KEYS[3]  draft: JSON that ends with its document
-- KEYS[4]  audit: a list of JSON, newest first
-- ARGV[1]  the version that the document is based on; 0 for none
-- ARGV[2]  the newest version that the caller knows: a Redis that lost its data must not give its number again
-- ARGV[3]  the document as JSON
-- ARGV[4]  further fields of its history, without braces
-- ARGV[5]  further fields of the audit's entry, without braces
-- ARGV[6]  how many versions are kept, ARGV[7] how many entries of the audit
-- ARGV[8]  the terms of a trial, without braces; empty for all clients
--
-- Reply: 1, the new version, and its time in milliseconds; or 0 and the newest version.

-- @include begin.lua
local document = ARGV[3]
require_kind(KEYS[2], 'hash')
require_kind(KEYS[3], 'string')
require_kind(KEYS[4], 'list')
if foreign then
  return foreign
end
local history = redis.call('HKEYS', KEYS[2])
local draft = redis.call('GET', KEYS[3])
if newest ~= tonumber(ARGV[1]) then
  return { 0, newest }
end

-- Above every version that is known or kept, so that none gets a number that another one had.
local version = math.max(newest, tonumber(ARGV[2]))
for _, kept in ipairs(history) do
  version = math.max(version, whole(kept, 1000000000))
end
version = version + 1
local number = string.format('%.0f', version)
local begin = '{"version":' .. number .. ',"publishedAt":' .. now_ms .. ','
-- @include end-trial.lua
if tried > 0 then
  take_back()
end
redis.call('HSET', KEYS[1], 'revision', revision, 'lineage', lineage, 'lostAt', 0)
if ARGV[8] == '' then
  redis.call('HSET', KEYS[1], 'version', number, 'publishedAt', now_ms, 'document', document)
else
  local terms = '{"publishedAt":' .. now_ms .. ',' .. ARGV[8] .. '}'
  redis.call('HSET', KEYS[1], 'trial', number, 'trialTerms', terms, 'trialDocument', document)
end
redis.call('HSET', KEYS[2], number, begin .. ARGV[4] .. ',"document":' .. document .. '}')
local excess = #history + 1 - tonumber(ARGV[6])
if excess > 0 then
  table.sort(history, function(one, other) return (tonumber(one) or 0) < (tonumber(other) or 0) end)
  for old = 1, excess do
    redis.call('HDEL', KEYS[2], history[old])
  end
end
local published = ',"document":' .. document .. '}'
if draft and string.sub(draft, -string.len(published)) == published then
  redis.call('DEL', KEYS[3])
end
audit(KEYS[4], '"version":' .. number .. ',' .. ARGV[5], ARGV[7])
return { 1, version, tonumber(now_ms) }
