-- Calendar window: one count per month, week, day or hour of a time zone. Up to twice the limit passes around a boundary.
-- An isolate knows the boundaries, and Redis's clock says in which window a request is.
--
-- State    that of a fixed window, byte for byte, with a setting of its own: a policy keeps its count when its window
--          becomes one of a calendar, and when it ceases to be one
-- @arguments opens, closes, neighbours
-- opens    when the window began that an isolate's clock shows, in microseconds
-- closes   when it ends
-- neighbours
--          the lengths of the window before it and of the window after it in seconds: before * 2^22 + after
--
-- The clock of the isolate may be wrong by a whole window: the right boundary is one of these. If it is wrong by
-- more, the window that counts goes on, whichever isolate began it. If none does, one begins that ends at opens, if the
-- isolate is ahead, or else a whole number of lengths of the last window after that window. The next request of an
-- isolate whose clock is right puts the end in its place, and keeps the count.
--
-- When the policy gets another zone, another first day or a window of a fixed length, the units taken count in the
-- current window of the new calendar. When the clock goes back behind a boundary, the window after that boundary goes on
-- counting, so that no window admits more than its limit.
-- @inline
local function calendar_window(key, now, operation, cost, limit, opens, closes, neighbours)
  local following = neighbours % 4194304 * 1000000
  local boundary, lost = closes, false
  if now < opens then
    boundary = opens
    lost = opens - now > math.floor(neighbours / 4194304) * 1000000
  elseif now >= closes then
    boundary = closes + following
    if now >= boundary then
      boundary, lost = now - (now - closes) % following + following, true
    end
  end

  local ends, stored_setting, cut, used
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 17 then
    ends, stored_setting, cut, used = struct.unpack('>I7 I2 I1 I7', value, 1)
  end
  -- rewrite: the end or the setting changes, not only the count. repaired: write even if nothing is taken.
  local rewrite, repaired = true, false
  if not ends or now >= ends then
    ends, cut, used = boundary, 0, 0
  elseif
    ends == boundary
    or stored_setting == 512 and (ends == closes or ends == closes + following or lost and ends - now <= following)
  then
    rewrite = false
  else
    ends, repaired = boundary, true
  end

  local allowed = used + cost <= limit and 1 or 0
  local takes = operation == 'charge' or (allowed == 1 and operation == 'consume')
  if takes then
    local most = math.max(math.min(2 * limit, 9007199254740991), used)
    used = used + cost
    if used > most then
      used, cut = most, 1
    end
  end
  if takes or repaired then
    local count = struct.pack('>I1 I7', cut, used)
    if rewrite then
      local setting = 512
      local bytes = struct.pack('>I7 I2', ends, setting) .. count
      redis.call('SET', key, bytes, 'PXAT', math.floor(ends / 1000) + 1)
    else
      redis.call('SETRANGE', key, 9, count)
    end
  end

  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  return allowed,
    used < limit and limit - used or 0,
    used + asked > limit and ends - now or 0,
    used > 0 and ends - now or 0
end

-- Gives back units of the window that counts now, if its beginning is known. Where a charge was cut off, the count without
-- these units is unknown: it stays.
-- Returns how many units came back.
-- @inline
local function calendar_window_refund(key, now, taken_at, cost, limit, opens, closes, neighbours)
  local given = 0
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 17 then
    local ends, stored_setting, cut, used = struct.unpack('>I7 I2 I1 I7', value, 1)
    local following = neighbours % 4194304
    local began = ends == closes and opens
      or ends == opens and opens - math.floor(neighbours / 4194304) * 1000000
      or ends == closes + following * 1000000 and closes
    if began and taken_at >= began and now < ends and stored_setting == 512 and cut == 0 then
      given = math.min(cost, used)
      if given > 0 then
        used = used - given
        redis.call('SETRANGE', key, 10, struct.pack('>I7', used))
      end
    end
  end
  return given
end
