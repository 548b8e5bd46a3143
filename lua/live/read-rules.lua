-- Reads the published version with its document, the other fields of its history, and what is known of a trial.
--
-- KEYS[1]  state, KEYS[2]  history
--
-- Reply: the version, the time of publishing in milliseconds, the document, and the head of its history; the version that is
-- tried, its terms, and the decisions and denials under it and under the other; each a text, empty where there is none.

-- A key of another type has no fields.
local state = redis.pcall('HMGET', KEYS[1], 'version', 'publishedAt', 'document', 'trial', 'trialTerms', 'tried', 'triedDenied', 'others', 'othersDenied')
local head = ''
local whole = state[1] and redis.pcall('HGET', KEYS[2], state[1])
if type(whole) == 'string' then
  local stop = string.find(whole, ',"document":', 1, true)
  head = stop and string.sub(whole, 1, stop - 1) .. '}' or ''
end
local reply = { state[1] or '', state[2] or '', state[3] or '', head }
for i = 4, 9 do
  reply[i + 1] = state[i] or ''
end
return reply
