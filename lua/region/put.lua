-- Brings to a region what home answered. Units count only for the claim under which they were taken: whatever comes twice, late, after
-- a newer claim or to a region that lost its memory is dropped. Units that a request spent before home denied it come back.
--
-- KEYS[i]       the pool of policy i, as read.lua describes it
-- ARGV[12i-11]  the term of policy i, in microseconds
-- ARGV[12i-10]  at: the time of this server in the reply of spend.lua
-- ARGV[12i-9]   claimed: 1 if that reply gave a claim
-- ARGV[12i-8]   units taken under the claim
-- ARGV[12i-7]   life: how long after `at` they may be spent
-- ARGV[12i-6]   left: the units left at home; -1 without an answer
-- ARGV[12i-5]   again: how long one more unit has to wait there; 0 if not at all
-- ARGV[12i-4]   reset: how long until the whole limit is available there
-- ARGV[12i-3]   paid: the units on credit that home has counted
-- ARGV[12i-2]   keep: as in spend.lua
-- ARGV[12i-1]   back: units that the request spent and gives back
-- ARGV[12i]     until when these were kept
-- ARGV[12n+1]   the id of this give-back, a random number
--
-- Reply         now, the units that were dropped or have expired, and the claims that were lost to others

local arguments = ARGV
local width = 12
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- @include read.lua
local id = arguments[width * #KEYS + 1] + 0
-- Few grants in a pool: a further one joins the last of them, and all keep the earlier end.
local MOST_GRANTS = 6
-- Units whose return would be the next one are dropped: the state stays small, however many requests are denied at once.
local MOST_RETURNS = 32
local lost_claims = 0

for i = 1, #KEYS do
  local pool, first = pools[i], width * (i - 1)
  local at, claimed, units, life = arguments[first + 2] + 0, arguments[first + 3], arguments[first + 4] + 0, arguments[first + 5] + 0
  local left, again, reset, paid = arguments[first + 6] + 0, arguments[first + 7] + 0, arguments[first + 8] + 0, arguments[first + 9] + 0
  local keep, back, back_until = arguments[first + 10] + 0, arguments[first + 11] + 0, arguments[first + 12] + 0
  local grants, returns, term = pool.grants, pool.returns, pool.term
  local is_own = claimed == '1' and pool.claim == at
  if is_own then
    pool.claim, pool.claim_ends = 0, 0
    local took = math.min(now - at, term)
    pool.trip = math.max(took, pool.trip + (took - pool.trip) / 8)
    pool.open = math.max(0, pool.open - paid)
  end
  local ends = at + life
  if units > 0 and is_own and ends > now then
    local last = #grants - 1
    if #grants >= 2 * MOST_GRANTS then
      grants[last], grants[last + 1] = math.min(grants[last], ends), grants[last + 1] + units
    else
      grants[last + 2], grants[last + 3] = ends, units
    end
  else
    unspent = unspent + units
  end
  if claimed == '1' and not is_own then
    lost_claims = lost_claims + 1
  end
  local is_repeated = false
  for entry = 1, #returns, 2 do
    is_repeated = is_repeated or returns[entry + 1] == id
  end
  -- Before `at` only if the clock went back since.
  if back > 0 and back_until > now and now >= at and not is_repeated and #returns < 2 * MOST_RETURNS then
    returns[#returns + 1], returns[#returns + 2] = back_until, id
    if #grants >= 2 * MOST_GRANTS then
      grants[1], grants[2] = math.min(grants[1], back_until), grants[2] + back
    else
      table.insert(grants, 1, back)
      table.insert(grants, 1, back_until)
    end
  end
  -- Room is known only by a call that was sent after the last answer without room had arrived.
  if left >= 0 and now >= at and (left == 0 or at >= pool.short_at) then
    pool.left, pool.full_at = left, at + reset
    if left == 0 then
      local free = at + math.floor(again * 0.9995)
      pool.short_at, pool.retry_until = now, free
      -- Asks again after a pause, so that the answer is there when the wait is over.
      pool.poll_at = math.max(now + math.floor(term / 4), free - math.floor(pool.trip))
    else
      pool.retry_until, pool.poll_at = 0, 0
    end
  end
  local key = KEYS[i]
  -- @include write.lua
end
return { now, unspent, lost_claims }
