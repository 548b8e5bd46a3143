-- The fields of a trial: all of them go when it ends.
local function forget_trial()
  redis.call('HDEL', KEYS[1], 'trial', 'trialTerms', 'trialDocument', 'tried', 'triedDenied', 'others', 'othersDenied')
end

-- Ends a trial. Its version stays in the history, marked, so that no isolate falls back to it.
local function take_back()
  local kept = redis.call('HGET', KEYS[2], state[5])
  local stop = kept and string.find(kept, ',"document":', 1, true)
  if stop then
    redis.call('HSET', KEYS[2], state[5], string.sub(kept, 1, stop - 1) .. ',"takenBack":true' .. string.sub(kept, stop, -1))
  end
  forget_trial()
end
