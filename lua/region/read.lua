-- Reads the pools of all policies with one command, and drops the units that have expired.
--   reads the locals  arguments, now
--                     width   the number of arguments per policy, of which the first is its term
--   makes the local   pools, by the number of the policy: a table of what is below, and
--                       term     in microseconds
--                       units    all that may be spent
--   makes the local   unspent, how many units have expired since these pools were last read
--
-- Pool    a string of big-endian numbers. Times are microseconds of this server's clock:
--           byte  size
--           0     7     claim: when the next units were promised to an isolate; 0 if they are not
--           7     7     claim_ends: when another isolate may have the claim
--           14    5     trip: how long the claims of late took
--           19    7     since: when the period of the demand began
--           26    6     requested: the units requested in it, in 64ths
--           32    6     before: those in the period before it, in 64ths
--           38    7     left at home by its last answer, plus 1; 0 before its first one
--           45    7     retry_until: when home has units again, by an answer without any; 0 after one with some
--           52    7     poll_at: when to ask again; 0 likewise
--           59    6     open: units on credit that home has not counted
--           65    7     seen: the latest time
--           72    7     short_at: when home last answered that it had none left
--           79    6     lost: 64 for each expired unit, less one for each spent unit; from 0, where 512 is even
--           85    7     full_at: when the whole limit is available at home
--           92    1     count of the grants
--           93    13    for each grant: until when its units may be spent, 7 bytes, and how many, 6 bytes
--           ...   13    for each return of units: the time until which they are kept, 7 bytes, and its id, 6 bytes
local HEAD = 93
local values = redis.call('MGET', unpack(KEYS))
local pools, unspent = {}, 0
for i = 1, #KEYS do
  local value, term = values[i], arguments[width * (i - 1) + 1] + 0
  local claim, claim_ends, trip, since, requested, before, left = 0, 0, 0, now, 0, 0, 0
  local retry_until, poll_at, open, seen, short_at, lost, full_at, count = 0, 0, 0, now, 0, 512, 0, 0
  local is_known = value and #value >= HEAD and (#value - HEAD) % 13 == 0
  if is_known then
    claim, claim_ends, trip, since, requested, before, left = struct.unpack('>I7 I7 I5 I7 I6 I6 I7', value, 1)
  end
  if is_known then
    retry_until, poll_at, open, seen, short_at, lost, full_at, count = struct.unpack('>I7 I7 I6 I7 I7 I6 I7 I1', value, 46)
  end
  if left > 2 ^ 52 or math.max(retry_until, poll_at, full_at) > seen + 2 ^ 47 then
    -- Something else has written it.
    is_known, seen = false, now + 1
    left, open, lost, trip, count = 0, 0, 512, 0, 0
  end
  local grants, returns, units, expired = {}, {}, 0, 0
  if now < seen then
    -- The clock went back: of no unit is it known how long ago it was taken.
    claim, claim_ends, since, requested, before = 0, 0, now, 0, 0
    retry_until, poll_at, short_at, full_at = 0, 0, 0, 0
  else
    for entry = HEAD + 1, value and is_known and #value or 0, 13 do
      local ends, number = struct.unpack('>I7 I6', value, entry)
      if entry >= HEAD + 1 + 13 * count then
        if ends > now then
          returns[#returns + 1], returns[#returns + 2] = ends, number
        end
      elseif ends > now then
        grants[#grants + 1], grants[#grants + 2] = ends, number
        units = units + number
      else
        expired = expired + number
      end
    end
  end
  unspent = unspent + expired
  pools[i] = {
    claim = claim, claim_ends = claim_ends, trip = trip, since = since, requested = requested / 64, before = before / 64,
    left = left - 1, retry_until = retry_until, poll_at = poll_at, open = open, short_at = short_at,
    lost = math.min(2 ^ 40, lost + 64 * expired), full_at = full_at,
    grants = grants, returns = returns, term = term, units = units,
  }
end
