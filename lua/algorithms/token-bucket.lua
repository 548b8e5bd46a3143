-- Token bucket: holds `limit` units, and refills continuously at a rate. No key means a full bucket.
--
-- State    a string of big-endian numbers:
--            byte  size
--            0     7     at: when it was written, in microseconds
--            7     7     used: the time that the bucket then needed to be full again, in units of 1/parts microsecond
--            14    6     until when the key is kept, in milliseconds
--            20    14    unit and parts: one unit refilled every unit/parts microseconds, by the rate at which it was written
-- @arguments interval, divisor
-- interval, divisor
--          one unit refills every interval/divisor microseconds by the rate of the policy; limit * interval < 2^52
--
-- All arithmetic stays in whole numbers: a cost of c adds c * unit to `used`, and the bucket is empty at limit * unit.
-- Beyond that it is in debt, by a charge or under a higher limit.
--
-- Plans and changes of a policy have other rates. What is used is converted to the rate of the asking policy; a peek does not
-- store that. Units beyond its limit come back at the rate at which they were taken, so that no unit is forgotten, and no client waits for longer
-- than that rate would have it wait. With any alternating policies, the bucket therefore admits in a span w at most
--   the largest limit + the largest rate * w
-- When the clock goes back behind `at`, no time has passed: a client waits for what was used, counted from that moment.
-- @inline
local function token_bucket(value, now, operation, cost, limit, interval, divisor)
  local at, used, kept_until, unit, parts = now, 0, 0, interval, divisor
  if value and #value == 34 then
    at, used, kept_until, unit, parts = struct.unpack('>I7 I7 I6 I7 I7', value, 1)
  end
  if unit == 0 or parts == 0 or at + used / parts > kept_until * 1000 then
    -- Something else has written it: a bucket is kept until it is full.
    at, used, kept_until, unit, parts = now, 0, 0, interval, divisor
  end
  -- Written at once, or the wait would begin anew with every request until the clock has caught up.
  local stepped_back, refilled = at > now, (now - at) * parts
  if refilled >= used then
    used = 0
  elseif not stepped_back then
    used = used - refilled
  end
  -- No bucket, and no shard of one, takes four years to refill.
  if used > 2 ^ 47 * parts then
    used = 0
  end
  local converted = (unit ~= interval or parts ~= divisor) and used <= limit * unit
  if converted then
    local units = math.floor(used / unit)
    -- A part of a unit is rounded up, by more than the rounding errors of the product.
    local part = math.ceil((used - units * unit) * interval / unit * (1 + 2 ^ -50))
    used = units * interval + math.min(part, interval)
    unit, parts = interval, divisor
  end

  local capacity, wanted = limit * unit, used + cost * unit
  local allowed = wanted <= capacity and 1 or 0
  local takes = operation == 'consume' and allowed == 1 or operation == 'charge'
  if operation == 'charge' and wanted > 2 * capacity then
    -- It leads into debt by the limit at most, and forgets nothing that a higher limit has used.
    used = math.max(used, 2 * capacity)
  elseif takes then
    used = wanted
  end
  local bytes, expires
  if takes or stepped_back or converted and used > 0 and operation ~= 'peek' then
    local full = now + used / parts
    if stepped_back or converted or full > kept_until * 1000 then
      -- Kept for longer by the time of a whole bucket, so that most requests need not move the end.
      kept_until = math.ceil((full + capacity / parts) / 1000)
      bytes, expires = struct.pack('>I7 I7 I6 I7 I7', now, used, kept_until, unit, parts), kept_until
    else
      bytes = struct.pack('>I7 I7', now, used)
    end
  end

  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  -- `x - x % 1` rounds down and `x + -x % 1` up, for half the price of a function.
  local left, missing, full = (capacity - used) / unit, (used + asked * unit - capacity) / parts, used / parts
  return allowed,
    left > 0 and left - left % 1 or 0,
    missing > 0 and missing + -missing % 1 or 0,
    full + -full % 1,
    bytes,
    '0',
    expires
end

-- Gives back the part of the cost that has not refilled since: without this cost, the bucket would have been full for at most
-- the time that has passed, and would have refilled less by that. Where a charge may have been cut off at the deepest debt
-- since the take, or another rate has counted, the bucket without this cost is unknown, and nothing comes back.
-- Returns how much came back, in units of 1/divisor microsecond.
-- @inline
local function token_bucket_refund(value, now, taken_at, cost, limit, interval, divisor)
  local refunded, state = 0, nil
  if value and #value == 34 then
    local at, used, _, unit, parts = struct.unpack('>I7 I7 I6 I7 I7', value, 1)
    local refilled, is_own = (now - taken_at) * divisor, unit == interval and parts == divisor
    used = math.max(0, used - (now - at) * divisor)
    if at <= now and is_own and used + refilled < 2 * limit * interval then
      refunded = math.max(0, math.min(used, cost * interval - refilled))
    end
    if refunded > 0 then
      used = used - refunded
      state = struct.pack('>I7 I7', now, used) .. string.sub(value, 15)
    end
  end
  return refunded, state
end
