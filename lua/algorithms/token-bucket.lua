-- Token bucket as GCRA: one number says when the bucket will be full again.
--
-- State    string: the theoretical arrival time (TAT) in microseconds, followed by ":rest" when the time has a
--          fraction, in units of 1/divisor microsecond. No key means a full bucket.
-- limit    size of the bucket, the burst
-- interval, divisor   one unit refills every interval/divisor microseconds; limit * interval < 2^51
--
-- used is how far the TAT lies ahead of now, in units of 1/divisor microsecond, so that all arithmetic stays in
-- whole numbers: cost c adds c * interval, and the bucket is empty at limit * interval.
local function token_bucket(key, now, operation, cost, limit, interval, divisor)
  local capacity = limit * interval
  local used = 0
  local value = redis.pcall('GET', key)
  local tat = tonumber(value)
  local rest = 0
  if not tat and type(value) == 'string' then
    local whole, fraction = string.match(value, '^(%d+):(%d+)$')
    if whole then
      -- A rest written under another divisor is at most one microsecond here.
      tat, rest = tonumber(whole), math.min(tonumber(fraction), divisor)
    end
  end
  if tat then
    used = (tat - now) * divisor + rest
    if not (used > 0) then
      used = 0
    elseif used > 2 * capacity then
      -- Further ahead than any charge may put it: the clock went back. Written at once, or the wait would
      -- start anew with every request until the clock has caught up.
      used = 2 * capacity
      tat = now + math.ceil(used / divisor)
      redis.call('SET', key, string.format('%.0f', tat), 'PXAT', math.floor(tat / 1000) + 1)
    end
  end

  local taken = cost * interval
  local allowed = used + taken <= capacity and 1 or 0
  if operation == 'charge' or (allowed == 1 and operation == 'consume') then
    used = used + taken
    if used > 2 * capacity then
      used = 2 * capacity
    end
    local fraction = used % divisor
    tat = now + (used - fraction) / divisor
    local text = string.format('%.0f', tat)
    if fraction > 0 then
      text = string.format('%s:%.0f', text, fraction)
    end
    redis.call('SET', key, text, 'PXAT', math.floor(tat / 1000) + 1)
  end
  if operation == 'charge' then
    taken = interval
  end

  local excess = used + taken - capacity
  local remaining = math.floor((capacity - used) / interval)
  return allowed,
    remaining > 0 and remaining or 0,
    excess > 0 and math.ceil(excess / divisor) or 0,
    math.ceil(used / divisor)
end
