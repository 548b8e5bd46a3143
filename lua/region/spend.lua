-- Decides a request from the units that its region holds: either every policy spends its cost, or none does. What the region cannot
-- decide, its home does. The reply may give the isolate a claim on a pool: then the isolate takes the next units at home, and
-- brings them with put.lua. A pool has one claim at a time, and only its holder brings units.
--
-- Neither script knows an algorithm. Home enforces tighter policies, so that units may be spent for one term after the take; the
-- region counts that term by its own clock, from before the take. No two clocks are compared.
--
-- KEYS[i]       the pool of policy i, as read.lua describes it
-- ARGV[7i-6]    the term of policy i: how long its units may be spent, in microseconds
-- ARGV[7i-5]    cost
-- ARGV[7i-4]    credit: the most units to admit before home has counted them; 0 for none
-- ARGV[7i-3]    keep: how long a pool with open credit is kept, in microseconds
-- ARGV[7i-2]    the units left at home from which on the next lease may be generous
-- ARGV[7i-1]    the most units that the pool may take; 0 for a limit so small that others would miss them
-- ARGV[7i]      units of requests that the isolate has denied by itself within the last term
--
-- Reply, integers only, times in microseconds:
--   now           the clock of this server
--   verdict       1 allowed, 0 denied, 2 for home to decide
--   unspent       how many units have expired since these pools were last read
--   then of policy 1, then of policy 2, ...:
--     state       0 the cost is spent, 1 it is admitted on credit, 2 denied, 3 missing, 4 not looked at
--     left        the units left in the region and, by its last answer, at home; -1 before its first one
--     wait        how long a denied request has to wait at least
--     reset       how long until the whole limit is available, by home's last answer
--     claimed     1 if the isolate has to take the next units
--     most, need  how many, as take.lua defines them
--     owed        units on credit that home has not counted
--     spent_until until when the first of the spent units would have been kept

local arguments = ARGV
local width = 7
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- @include read.lua
local denied, missing = false, false

for i = 1, #KEYS do
  local pool, at = pools[i], width * (i - 1)
  local term, cost, credit = pool.term, arguments[at + 2] + 0, arguments[at + 3] + 0
  -- The demand of the last term, by a sliding window of two counts.
  local terms = math.floor((now - pool.since) / term)
  if terms > 0 then
    pool.before = terms == 1 and pool.requested or 0
    pool.requested, pool.since = 0, pool.since + terms * term
  end
  pool.requested = pool.requested + cost + arguments[at + 7]
  pool.rate = pool.before * (1 - (now - pool.since) / term) + pool.requested
  local is_under_way = now < pool.claim_ends
  if pool.units >= cost then
    pool.state = 0
  elseif credit > 0 and pool.left ~= 0 and pool.open + cost <= credit then
    pool.state = 1
  elseif pool.poll_at > 0 and now < pool.poll_at + 2 * pool.trip + term then
    -- Home had none left. One request asks again when it may have: if many want the units, it does so in the background.
    local is_busy = pool.rate * (pool.trip + term / 4) / term >= 3
    local is_early = now < math.max(pool.retry_until, pool.poll_at)
    pool.state = (is_busy or is_under_way or is_early) and 2 or 3
  elseif is_under_way and now < pool.short_at + term then
    -- Units are on their way, and home had none left lately: not every request asks there.
    pool.state = 2
  else
    pool.state = 3
  end
  denied = denied or pool.state == 2
  missing = missing or pool.state == 3
end

local reply = { now, denied and 0 or missing and 2 or 1, unspent }
for i = 1, #KEYS do
  local pool, at = pools[i], width * (i - 1)
  local term, cost, keep = pool.term, arguments[at + 2] + 0, arguments[at + 4] + 0
  local plenty, ceiling = arguments[at + 5] + 0, arguments[at + 6] + 0
  local grants, spent_until = pool.grants, 0
  if denied then
    pool.state = pool.state == 2 and 2 or 4
  elseif pool.state == 1 and missing then
    -- Home decides the request, and counts this cost with it.
    pool.state = 3
  elseif pool.state == 1 then
    pool.open = pool.open + cost
  elseif pool.state == 0 then
    local rest = cost
    for grant = 1, #grants, 2 do
      local portion = math.min(rest, grants[grant + 1])
      if portion > 0 then
        spent_until = spent_until == 0 and grants[grant] or math.min(spent_until, grants[grant])
      end
      grants[grant + 1] = grants[grant + 1] - portion
      rest = rest - portion
    end
    pool.units = pool.units - cost
    pool.lost = math.max(0, pool.lost - cost)
  end

  -- The next lease. Units that expire before it can arrive do not count.
  local fresh = 0
  for grant = 1, #grants, 2 do
    if grants[grant] > now + 1.1 * pool.trip + term / 50 then
      fresh = fresh + grants[grant + 1]
    end
  end
  local rate, trip = pool.rate, pool.trip
  local is_short = pool.left == 0
  local is_scarce = is_short or now < pool.short_at + term
  local is_rich = not is_scarce and pool.left >= plenty
  local is_wasteful = pool.lost > 512 and not is_rich
  -- What is spent during a round trip, and its variation.
  local meanwhile = rate * trip / term
  local reserve = meanwhile + ((is_scarce or is_wasteful) and 1 or 2) * math.sqrt(meanwhile)
  local claimed, most, need = 0, 0, 0
  if now >= pool.claim_ends and now > pool.claim then
    local is_lacking = pool.state == 3 or pool.state == 1
    local is_due = now >= pool.poll_at and rate >= 2 and (pool.state == 2 or fresh < reserve)
    if rate >= 2 and (is_lacking or is_due) then
      -- What is spent until the answer after the next one, and the level up to which units are likely to be spent in time.
      local cycle = math.max(1, math.floor(rate * math.min(1, (trip + term / 4) / term)))
      local level = math.max(reserve, 0.6 * rate)
      if is_scarce then
        level = cycle
      elseif is_wasteful then
        level = math.max(reserve, rate / 2)
      elseif is_rich then
        level = rate + 2 * math.sqrt(rate)
      end
      most = math.min(ceiling, math.max(1, math.floor(level - fresh)))
      need = math.min(most, math.max(1, math.floor(cycle - fresh)))
    end
    -- A cold pool takes no claim: the answer to it has nothing to bring, but that home has none left.
    if most > 0 or is_lacking and (pool.open > 0 or is_short) then
      claimed = 1
      pool.claim = now
      pool.claim_ends = now + math.floor(math.min(term, math.max(3 * trip, term / 4)))
    end
  end
  local wait = 0
  if pool.state == 2 then
    wait = math.max(1, math.max(pool.retry_until, pool.poll_at, pool.claim_ends) - now)
  end
  local row = 9 * i - 5
  reply[row], reply[row + 1] = pool.state, pool.left < 0 and -1 or pool.left + pool.units
  reply[row + 2], reply[row + 3] = wait, math.max(0, pool.full_at - now)
  reply[row + 4], reply[row + 5], reply[row + 6] = claimed, most, need
  reply[row + 7], reply[row + 8] = claimed == 1 and pool.open or 0, spent_until
  local key = KEYS[i]
  -- @include write.lua
end
return reply
