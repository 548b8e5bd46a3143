-- Adds the decisions of an isolate to those of a trial, and takes the version back if too many of its decisions were denials.
-- This is no write of live rules: isolates read them anew only if the version was taken back.
--
-- KEYS[1]  state, KEYS[2]  history, KEYS[3]  audit
-- ARGV[1]  the version, ARGV[2]  the decisions under it, ARGV[3]  the denials among them, ARGV[4] and ARGV[5]  those of the others
-- ARGV[6]  how many decisions it takes to judge
-- ARGV[7]  the beginning of the audit's entry, which the counts go on, ARGV[8]  how many entries of the audit are kept
--
-- Reply: 1 if they were counted, 2 if the version was taken back, or 0 if it is not tried.

-- @include begin.lua
require_kind(KEYS[2], 'hash')
require_kind(KEYS[3], 'list')
if foreign then
  return foreign
end
if tried == 0 or tried ~= tonumber(ARGV[1]) then
  return { 0 }
end
-- @include end-trial.lua
local decided = redis.call('HINCRBY', KEYS[1], 'tried', ARGV[2])
local denied = redis.call('HINCRBY', KEYS[1], 'triedDenied', ARGV[3])
redis.call('HINCRBY', KEYS[1], 'others', ARGV[4])
redis.call('HINCRBY', KEYS[1], 'othersDenied', ARGV[5])
local terms = redis.call('HGET', KEYS[1], 'trialTerms') or ''
local bound = tonumber(string.match(terms, '"maxDenied":([%d.e-]+)'))
if not bound or decided < tonumber(ARGV[6]) or denied <= bound * decided then
  return { 1 }
end
redis.call('HSET', KEYS[1], 'revision', revision, 'lineage', lineage)
take_back()
local counts = '{"decided":' .. string.format('%.0f', decided) .. ',"denied":' .. string.format('%.0f', denied) .. '}'
audit(KEYS[3], '"version":' .. string.format('%.0f', stored) .. ',' .. ARGV[7] .. counts .. '}]', ARGV[8])
return { 2 }
