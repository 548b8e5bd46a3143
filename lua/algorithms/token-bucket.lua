-- Token bucket as GCRA: a single number says when the bucket will be full again, its theoretical arrival time (TAT).
-- No key means a full bucket.
--
-- State     text:
--             16 digits    the TAT in whole microseconds
--             ":rest"      if the TAT has a fraction: the fraction, in units of 1/divisor microsecond
--             "-"          if the bucket is in debt after a charge
--             "!"          if a charge was cut at the deepest debt since the bucket was last full
--             setting      the setting with which it was written, as below
-- @arguments interval, divisor, setting
-- limit     size of the bucket, the burst
-- interval, divisor
--           one unit refills every interval/divisor microseconds; limit * interval < 2^51
-- setting   "/ttl/limit/interval", or "/ttl/limit/interval/divisor" if the divisor is not 1, each to base 36; the ttl is how
--           long a key is kept after a write, in milliseconds: at least twice the time that the bucket takes to refill
--
-- `used` is how far the TAT lies ahead of now, in units of 1/divisor microsecond, so that all arithmetic stays in
-- whole numbers: a cost of c adds c * interval, and the bucket is empty at limit * interval. Only in debt may `used` be
-- greater, up to twice that. Beyond its bound, the clock went back: then it is cut to the bound.
--
-- Two settings may be alive at once: services that share a name, a gradual deployment, plans. The state counts units: a
-- request with another setting finds the units that the written rate has not yet refilled, rounded up, and unless it is a
-- peek, writes them at its own rate. It denies while there are more of them than its own limit, and then leaves them and
-- the written rate as they are, so that no unit is forgotten, and no client waits for longer than the written setting
-- would have it wait. With any alternating settings, the bucket therefore admits in a span w at most
--   the largest limit + the largest rate * w
-- @inline
local function token_bucket(key, now, operation, cost, limit, interval, divisor, setting)
  local capacity = limit * interval
  local used, flags = 0, ''
  -- The rate at which `used` counts; that of the written setting, where the request leaves that one.
  local unit, parts, kept, full = interval, divisor, setting, capacity
  -- Whether to write even if nothing is taken; whether the state is only its TAT and the setting.
  local repaired, plain = false, false
  local value = redis.pcall('GET', key)
  if value and not value.err then
    if string.sub(value, 17) == setting then
      used, plain = ((tonumber(string.sub(value, 1, 16)) or now) - now) * divisor, true
      if used > capacity then
        -- Written at once, or the wait would start anew with every request until the clock has caught up.
        used, repaired = capacity, true
      end
    else
      local tat, rest, debt, cut, written, l, i, d =
        string.match(value, '^(%d+):?(%d*)(%-?)(!?)(/%w+/(%w+)/(%w+)/?(%w*))$')
      if tat then
        local old_limit, old_interval, old_divisor = tonumber(l, 36), tonumber(i, 36), tonumber(d, 36) or 1
        local times, old_capacity = debt == '-' and 2 or 1, old_limit * old_interval
        -- Beyond these bounds, another program has written it.
        if old_capacity >= 1 and old_capacity < 2 ^ 51 and old_divisor >= 1 then
          used = (tat - now) * old_divisor + math.min(tonumber(rest) or 0, old_divisor)
        end
        flags = cut
        if used > times * old_capacity then
          used, repaired = times * old_capacity, true
        end
        if written ~= setting and used > 0 then
          if operation == 'charge' then
            times = 2
          end
          if used <= times * limit * old_interval then
            if old_interval ~= interval then
              local units = math.floor(used / old_interval)
              -- The part of a unit is rounded up by more than the rounding errors of the product.
              local part = (used - units * old_interval) * interval / old_interval * (1 + 2 ^ -50)
              used = units * interval + math.min(math.ceil(part), interval)
            end
            repaired = operation ~= 'peek'
          else
            unit, parts, kept, full = old_interval, old_divisor, written, old_capacity
            capacity = limit * unit
          end
        end
      end
    end
    if not (used > 0) then
      used, flags = 0, ''
    end
  end

  local taken = cost * unit
  local allowed = used + taken <= capacity and 1 or 0
  local before = used
  local takes = kept == setting and (operation == 'charge' or allowed == 1 and operation == 'consume')
  if takes then
    used = used + taken
    if used > 2 * capacity then
      used, flags = 2 * capacity, '!'
    end
  end
  if takes or repaired then
    -- SETRANGE is the cheapest write, but does not renew the expiry. It suffices until the TAT passes the next multiple of
    -- the time in which a bucket refills, because a key is kept for twice that time.
    if plain and not repaired and before > 0 and divisor == 1 and used <= capacity
      and (now + before) % capacity + used - before < capacity then
      redis.call('SETRANGE', key, '0', string.format('%016.0f', now + used))
    else
      local fraction = used % parts
      local text = string.format('%016.0f', now + (used - fraction) / parts)
      if fraction > 0 then
        text = text .. string.format(':%.0f', fraction)
      end
      if used > full then
        text = text .. '-'
      end
      redis.call('SET', key, text .. flags .. kept, 'PX', tonumber(string.match(kept, '%w+'), 36))
    end
  end
  -- After a charge, the wait is for one more unit.
  if operation == 'charge' then
    taken = unit
  end

  local excess, left = used + taken - capacity, capacity - used
  return allowed,
    left > 0 and (left - left % unit) / unit or 0,
    excess > 0 and (excess + -excess % parts) / parts or 0,
    (used + -used % parts) / parts
end

-- Gives back the part of the cost that has not refilled since: without this cost, the bucket would have been full for at most
-- the time that has passed, and would have refilled less by that. If the bucket was written with another setting since,
-- it refilled at the faster of the two rates at most. Where a charge may have been cut since the take, the
-- bucket without this cost is unknown, and nothing comes back.
-- Returns how much came back, in units of 1/divisor microsecond.
-- @inline
local function token_bucket_refund(key, now, taken_at, cost, limit, interval, divisor)
  local refunded = 0
  local value = redis.pcall('GET', key)
  local tat, rest, debt, cut, written, l, i, d
  if type(value) == 'string' then
    tat, rest, debt, cut, written, l, i, d = string.match(value, '^(%d+):?(%d*)(%-?)(!?)(/%w+/(%w+)/(%w+)/?(%w*))$')
  end
  if tat then
    local unit, parts = tonumber(i, 36), tonumber(d, 36) or 1
    local full = tonumber(l, 36) * unit
    local used = (tat - now) * parts + math.min(tonumber(rest) or 0, parts)
    local refilled = (now - taken_at) * parts
    if unit ~= interval or parts ~= divisor then
      refilled = math.max(refilled, math.ceil((now - taken_at) * divisor / interval * unit * (1 + 2 ^ -50)))
    end
    -- Beyond its bound, the clock went back.
    local sure = full >= 1 and full < 2 ^ 51 and parts >= 1 and used <= (debt == '-' and 2 or 1) * full
    if sure and (cut == '' or used + refilled < 2 * math.min(full, limit * unit)) then
      local back = math.max(0, math.min(used, cost * unit - refilled))
      if back > 0 then
        used = used - back
        local fraction = used % parts
        local text = string.format('%016.0f', now + (used - fraction) / parts)
        if fraction > 0 then
          text = text .. string.format(':%.0f', fraction)
        end
        if used > full then
          text = text .. '-'
        end
        -- The bucket is full earlier than it would have been, so the expiry suffices.
        redis.call('SET', key, text .. cut .. written, 'KEEPTTL')
        refunded = unit == interval and back or math.floor(back / unit * interval)
      end
    end
  end
  return refunded
end
