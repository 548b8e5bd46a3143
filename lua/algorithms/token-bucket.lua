-- Token bucket as GCRA: a single number says when the bucket will be full again, its theoretical arrival time (TAT).
-- No key means a full bucket.
--
-- State     a string of digits, so that INCRBY can move the TAT:
--             3 digits     class of the time for which the key is kept (see ttl); 100 if the divisor is not 1
--             digits       the TAT in whole microseconds
--             ":rest"      if the TAT has a fraction: the fraction, in units of 1/divisor microsecond
--             ":rest-"     if the bucket is in debt after a charge: the fraction, even if it is 0
--             "/interval/divisor"
--                          if the bucket keeps units (see ttl), after the fraction, even if that is 0: the rate with
--                          which the state was written
-- limit     size of the bucket, the burst
-- interval, divisor
--           one unit refills every interval/divisor microseconds; limit * interval < 2^51
-- ttl       how long a key is kept after a write, at least twice the time that a bucket takes to refill: in
--           milliseconds, or if divisor is 1 as a class of 1.03^class milliseconds; classes are from 101 to 921, so that
--           class and TAT together fit into the 64 bits of INCRBY. Negative milliseconds mean a bucket that keeps
--           units; its divisor is at least 2, so that no TAT is moved by INCRBY, which could not write the rate.
--
-- `used` is how far the TAT lies ahead of now, in units of 1/divisor microsecond, so that all arithmetic stays in
-- whole numbers: a cost of c adds c * interval, and the bucket is empty at limit * interval. Only in debt may `used` be
-- greater, up to twice that. Beyond its bound, the clock went back or the bucket has become smaller: then it is cut to
-- the bound, so that a bucket without debt counts as empty.
--
-- If the policy changes, the TAT stays, so a slower refill applies only to units taken from then on. That is time: the 2 s
-- of 20 units at 10/s are 200 units at 100/s.
--
-- A bucket that keeps units counts the units instead. The first request after a change, even one that takes nothing, finds
-- what the old rate has not yet refilled, as units, and writes it at the new rate, rounded up to the next 1/divisor
-- microsecond. Units beyond a lowered limit are forgotten: it leaves an empty bucket and no debt. Only what was written as
-- a debt may stay one, up to twice the limit. Without charges the bucket therefore admits
--   in a span w that begins with that request or later   at most limit + rate * w
--   in a span w with one change                          at most the higher limit + the higher rate * w
--   in a span w with several changes                     at most the limit at its start + all raises of the limit
--                                                        + the highest rate * w
-- A state without a rate, from before the policy kept units, counts as written at the present rate.
-- @inline
local function token_bucket(key, now, operation, cost, limit, interval, divisor, ttl)
  local capacity = limit * interval
  local used, most = 0, capacity
  local value = redis.pcall('GETRANGE', key, '3', '-1')
  -- Whether to write even if nothing is taken.
  local repaired = false
  if value ~= '' then
    local tat, rest = tonumber(value), 0
    if not tat and type(value) == 'string' then
      local sign
      tat, rest, sign = string.match(value, '^(%d+):(%d+)(%-?)')
      tat, rest = tonumber(tat), tonumber(rest) or 0
      if sign == '-' then
        most = 2 * capacity
      end
      local old_interval, old_divisor = interval, divisor
      if ttl + 0 < 0 then
        old_interval, old_divisor = string.match(value, '/(%d+)/(%d+)$')
        old_interval, old_divisor = tonumber(old_interval) or interval, tonumber(old_divisor) or divisor
      end
      -- A rest that was written with another divisor counts as at most one microsecond.
      rest = math.min(rest, old_divisor)
      if tat and (old_interval ~= interval or old_divisor ~= divisor) then
        local old_used = (tat - now) * old_divisor + rest
        local units = math.floor(old_used / old_interval)
        -- What is less than a unit is rounded up by more than the rounding errors of the product.
        local part = (old_used - units * old_interval) * interval / old_interval * (1 + 2 ^ -50)
        tat, rest = now, units * interval + math.min(math.ceil(part), interval)
        -- Written at once, or the old rate would go on until units are taken.
        repaired = rest > 0
      end
    end
    used = tat and (tat - now) * divisor + rest or 0
    if not (used > 0) then
      used = 0
    elseif used > most then
      -- Written at once, or the wait would start anew with every request until the clock has caught up.
      used, repaired = most, true
    end
  end

  local taken = cost * interval
  local allowed = used + taken <= capacity and 1 or 0
  local before = used
  local takes = operation == 'charge' or (allowed == 1 and operation == 'consume')
  if takes then
    used = used + taken
    if used > 2 * capacity then
      used = 2 * capacity
    end
  end
  -- INCRBY is the cheapest write, but does not renew the expiry. While the class is the same, it suffices until the TAT
  -- passes the next multiple of the time in which a bucket refills, because a key is kept for twice that time. The reply
  -- has 19 digits, of which a double keeps about 16, so the class can be read from it. INCRBY fails if the value is not a
  -- number.
  local number = takes and not repaired and before > 0 and divisor == 1 and used <= capacity
    and (now + before) % capacity + used - before < capacity and redis.pcall('INCRBY', key, used - before)
  if repaired or takes and (type(number) ~= 'number' or number - number % 1e16 ~= ttl * 1e16) then
    local fraction, class, milliseconds = used % divisor, '100', ttl
    local format = used > capacity and '%s%.0f:%.0f-' or fraction > 0 and '%s%.0f:%.0f' or '%s%.0f'
    if divisor == 1 then
      class, milliseconds = ttl, 1.03 ^ ttl
      milliseconds = milliseconds - milliseconds % 1 + 1
    elseif ttl + 0 < 0 then
      milliseconds = -ttl
      format = used > capacity and '%s%.0f:%.0f-/%.0f/%.0f' or '%s%.0f:%.0f/%.0f/%.0f'
    end
    local text = string.format(format, class, now + (used - fraction) / divisor, fraction, interval, divisor)
    redis.call('SET', key, text, 'PX', milliseconds)
  end
  -- After a charge, the wait is for one more unit.
  if operation == 'charge' then
    taken = interval
  end

  local excess, left = used + taken - capacity, capacity - used
  return allowed,
    left > 0 and (left - left % interval) / interval or 0,
    excess > 0 and (excess + -excess % divisor) / divisor or 0,
    (used + -used % divisor) / divisor
end

-- Gives back what has not refilled since it was taken: without this cost, the bucket would have been full for at most
-- the time that has passed, and would have refilled less by that. `used` never exceeds twice the capacity, so if it may
-- have been cut there since, nobody knows what it would be without this cost, and nothing comes back.
-- Returns how much came back, in units of 1/divisor microsecond.
-- @inline
local function token_bucket_refund(key, now, taken_at, cost, limit, interval, divisor)
  local given = 0
  local value = redis.pcall('GET', key)
  local class, tat, rest, sign, rate
  if type(value) == 'string' then
    class, tat, rest, sign, rate = string.match(value, '^(%d%d%d)(%d+):?(%d*)(%-?)(.*)$')
  end
  if rate == '' or rate == string.format('/%.0f/%.0f', interval, divisor) then
    local capacity, passed = limit * interval, (now - taken_at) * divisor
    local used = (tat - now) * divisor + math.min(tonumber(rest) or 0, divisor)
    if used + passed < 2 * capacity and (sign == '-' or used <= capacity) then
      given = math.max(0, math.min(used, cost * interval - passed))
    end
    if given > 0 then
      used = used - given
      local fraction = used % divisor
      local format = used > capacity and '%s%.0f:%.0f-' or (fraction > 0 or rate ~= '') and '%s%.0f:%.0f' or '%s%.0f'
      local text = string.format(format, class, now + (used - fraction) / divisor, fraction) .. rate
      -- The bucket is full earlier than it would have been, so the expiry suffices.
      redis.call('SET', key, text, 'KEEPTTL')
    end
  end
  return given
end
