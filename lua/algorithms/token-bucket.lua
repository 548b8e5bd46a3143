-- Token bucket as GCRA: one number says when the bucket will be full again.
--
-- State    string of digits: 3 for the class of the time for which the key is kept, else 100, then the theoretical arrival
--          time (TAT) in microseconds, so that the number can be incremented; when the time has a fraction, in units of
--          1/divisor microsecond, ":rest" follows, and when a charge has led into debt, ":rest-". No key means a full
--          bucket. Under another policy the TAT stays: a slower refill is for what is taken from then on.
-- limit    size of the bucket, the burst
-- interval, divisor   one unit refills every interval/divisor microseconds; limit * interval < 2^51
-- ttl      how long a key is kept after a write, at least twice what the bucket takes to refill: in milliseconds, or
--          where divisor is 1, and few requests write it, as a class of 3 digits, 101 to 921, of 1.03^class milliseconds
--
-- used is how far the TAT lies ahead of now, in units of 1/divisor microsecond, so that all arithmetic stays in
-- whole numbers: cost c adds c * interval, and the bucket is empty at limit * interval. Only in debt it can be more:
-- otherwise the clock went back, or the bucket has become smaller, and it is taken for empty.
local function token_bucket(key, now, operation, cost, limit, interval, divisor, ttl)
  local capacity = limit * interval
  local used, most = 0, capacity
  local value = redis.pcall('GETRANGE', key, '3', '-1')
  -- Whether it is to be written anew, even if nothing is taken.
  local healed = false
  if value ~= '' then
    local tat, rest = tonumber(value), 0
    if not tat and type(value) == 'string' then
      local sign
      tat, rest, sign = string.match(value, '^(%d+):(%d+)(%-?)$')
      -- A rest written under another divisor is at most one microsecond here.
      tat, rest = tonumber(tat), math.min(tonumber(rest) or 0, divisor)
      if sign == '-' then
        most = 2 * capacity
      end
    end
    used = tat and (tat - now) * divisor + rest or 0
    if not (used > 0) then
      used = 0
    elseif used > most then
      -- Written at once, or the wait would start anew with every request until the clock has caught up.
      used, healed = most, true
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
  -- An increment is the cheapest write, but leaves the expiry as it is: under the same class it serves until the TAT
  -- comes to the next multiple of the time in which a bucket refills. What it answers begins with the class, also as a
  -- double, which has no more than 16 digits; where something else than a number was planted, it fails.
  local number = takes and not healed and before > 0 and divisor == 1 and used <= capacity
    and (now + before) % capacity + used - before < capacity and redis.pcall('INCRBY', key, used - before)
  if healed or takes and (type(number) ~= 'number' or number - number % 1e16 ~= ttl * 1e16) then
    local fraction, class = used % divisor, '100'
    if divisor == 1 then
      class, ttl = ttl, 1.03 ^ ttl
      ttl = ttl - ttl % 1 + 1
    end
    local text = used > capacity and '%s%.0f:%.0f-' or fraction > 0 and '%s%.0f:%.0f' or '%s%.0f'
    redis.call('SET', key, string.format(text, class, now + (used - fraction) / divisor, fraction), 'PX', ttl)
  end
  if operation == 'charge' then
    taken = interval
  end

  local excess, left = used + taken - capacity, capacity - used
  return allowed,
    left > 0 and (left - left % interval) / interval or 0,
    excess > 0 and (excess + -excess % divisor) / divisor or 0,
    (used + -used % divisor) / divisor
end
