-- Token bucket as GCRA: one number says when the bucket will be full again.
--
-- State    string: the theoretical arrival time (TAT) in microseconds, followed by ":rest" when the time has a
--          fraction, in units of 1/divisor microsecond. No key means a full bucket. It is kept for three times what
--          a bucket takes to refill.
-- limit    size of the bucket, the burst
-- interval, divisor   one unit refills every interval/divisor microseconds; limit * interval < 2^51
--
-- used is how far the TAT lies ahead of now, in units of 1/divisor microsecond, so that all arithmetic stays in
-- whole numbers: cost c adds c * interval, and the bucket is empty at limit * interval.
local function token_bucket(key, now, operation, cost, limit, interval, divisor, ttl)
  local capacity = limit * interval
  local used = 0
  local value = redis.pcall('GET', key)
  if value then
    local tat, rest = tonumber(value), 0
    if not tat and type(value) == 'string' then
      tat, rest = string.match(value, '^(%d+):(%d+)$')
      -- A rest written under another divisor is at most one microsecond here.
      tat, rest = tonumber(tat), math.min(tonumber(rest) or 0, divisor)
    end
    used = tat and (tat - now) * divisor + rest or 0
    if not (used > 0) then
      used = 0
    elseif used > 2 * capacity then
      -- Further ahead than any charge may put it: the clock went back. Written at once, or the wait would
      -- start anew with every request until the clock has caught up.
      used = 2 * capacity
      redis.call('SET', key, string.format('%.0f', now + math.ceil(used / divisor)), 'PX', ttl)
    end
  end

  local taken = cost * interval
  local allowed = used + taken <= capacity and 1 or 0
  if operation == 'charge' or (allowed == 1 and operation == 'consume') then
    local before = used
    used = used + taken
    if used > 2 * capacity then
      used = 2 * capacity
    end
    -- An increment is the cheapest write, but leaves the expiry as it is: it serves until the TAT comes to the next
    -- multiple of the time in which a bucket refills. The increment fails where something else than a time was planted.
    if before == 0 or divisor > 1 or (now + before) % capacity + used - before >= capacity
      or type(redis.pcall('INCRBY', key, used - before)) == 'table' then
      local fraction = used % divisor
      local text = string.format('%.0f', now + (used - fraction) / divisor)
      if fraction > 0 then
        text = string.format('%s:%.0f', text, fraction)
      end
      redis.call('SET', key, text, 'PX', ttl)
    end
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
