-- Gives a version that is tried to another share of the clients, to all of them, or to none.
--
-- KEYS[1]  state, KEYS[2]  history, KEYS[3]  audit
-- ARGV[1]  the version, ARGV[2]  the share in percent, ARGV[3]  the terms of the trial as JSON
-- ARGV[4]  further fields of the audit's entry, without braces, ARGV[5]  how many entries of the audit are kept
--
-- Reply: 1, the version that was given more clients, or that all have again, and the time in milliseconds; or 0 and the newest
-- version.

-- @include begin.lua
require_kind(KEYS[2], 'hash')
require_kind(KEYS[3], 'list')
if foreign then
  return foreign
end
if tried == 0 or tried ~= tonumber(ARGV[1]) then
  return { 0, newest }
end
-- @include end-trial.lua
local percent = tonumber(ARGV[2])
local given = tried
redis.call('HSET', KEYS[1], 'revision', revision, 'lineage', lineage)
if percent == 0 then
  given = stored
  take_back()
elseif percent == 100 then
  local document = redis.call('HGET', KEYS[1], 'trialDocument')
  redis.call('HSET', KEYS[1], 'lostAt', 0, 'version', state[5], 'publishedAt', now_ms, 'document', document)
  forget_trial()
else
  -- Other clients are counted from here on.
  redis.call('HDEL', KEYS[1], 'tried', 'triedDenied', 'others', 'othersDenied')
  redis.call('HSET', KEYS[1], 'trialTerms', ARGV[3])
end
audit(KEYS[3], '"version":' .. string.format('%.0f', given) .. ',' .. ARGV[4], ARGV[5])
return { 1, given, tonumber(now_ms) }
