-- Calendar window: one count per month, week, day or hour of a time zone. Up to twice the limit passes around a boundary.
-- An isolate knows the boundaries, and Redis's clock says in which window a request is.
--
-- State    that of a fixed window, byte for byte, with settings of its own: a policy keeps its count when its window
--          becomes one of a calendar, and when it ceases to be one. 512, or 513 while two calendars share the count
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
-- current window of the new calendar. But if their window ends soon after that one began, nearly all of them were taken
-- before, and they count until their window ends.
--
-- Two calendars with boundaries near each other may share a count for long, because isolates may have different data about
-- a zone. Both then count in the same window, and the first request after its end begins the next for both: if
-- each moved the count to its own window, one window would have its limit twice, and another would begin full.
--
-- When the clock goes back behind a boundary, the window after that boundary goes on counting, so that no window admits
-- more than its limit.
-- @inline
local function calendar_window(key, now, operation, cost, limit, opens, closes, neighbours)
  local following, before = neighbours % 4194304 * 1000000, math.floor(neighbours / 4194304) * 1000000
  -- The window that is now by the isolate's calendar, and the end of the one after it.
  local starts, boundary, later, lost = opens, closes, closes + following, false
  if now < opens then
    starts, boundary, later = opens - before, opens, closes
    lost = now < starts
  elseif now >= closes then
    starts, boundary, later = closes, closes + following, closes + 2 * following
    if now >= boundary then
      starts = now - (now - closes) % following
      boundary, later, lost = starts + following, starts + 2 * following, true
    end
  end
  -- How far apart boundaries of two calendars may lie to be near: an eighth of a window, and at most 14 hours.
  local near = math.min(following / 8, 50400000000)

  local ends, stored_setting, cut, used
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 17 then
    ends, stored_setting, cut, used = struct.unpack('>I7 I2 I1 I7', value, 1)
  end
  -- rewrite: the end or the setting changes, not only the count. repaired: write even if nothing is taken.
  local rewrite, repaired, setting = true, false, 512
  local own = ends and stored_setting >= 512
  if not ends or now >= ends then
    local last = own and ends or starts
    if stored_setting == 513 and last ~= starts then
      setting = 513
    end
    ends, cut, used = last < boundary and boundary - last <= near and later or boundary, 0, 0
  elseif
    ends == boundary or own and (ends == closes or ends == closes + following or lost and ends - now <= following)
  then
    rewrite = false
  elseif
    own and (math.abs(ends - starts) <= near or math.abs(ends - later) <= near
      or stored_setting == 513 and math.abs(ends - boundary) <= near)
  then
    rewrite, setting = stored_setting == 512, 513
    repaired = rewrite and operation ~= 'peek'
  else
    if own and math.abs(ends - boundary) <= near then
      setting = 513
    end
    ends, repaired = boundary, operation ~= 'peek'
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
      -- Kept for the other calendar, by which the window may not have ended yet.
      local expires = setting == 513 and ends + near or ends
      local bytes = struct.pack('>I7 I2', ends, setting) .. count
      redis.call('SET', key, bytes, 'PXAT', math.floor(expires / 1000) + 1)
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

-- Gives back units of the window that counts now, if its beginning is known. A window that two calendars share may have
-- begun later than by the isolate's calendar. Where a charge was cut off, the count without these units is unknown: it
-- stays.
-- Returns how many units came back.
-- @inline
local function calendar_window_refund(key, now, taken_at, cost, limit, opens, closes, neighbours)
  local refunded = 0
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 17 then
    local ends, stored_setting, cut, used = struct.unpack('>I7 I2 I1 I7', value, 1)
    local following, before = neighbours % 4194304 * 1000000, math.floor(neighbours / 4194304) * 1000000
    local near, began = 0, nil
    if stored_setting == 513 then
      near = math.min(following / 8, 50400000000)
    end
    if math.abs(ends - closes) <= near then
      began = opens
    elseif math.abs(ends - opens) <= near then
      began = opens - before
    elseif math.abs(ends - closes - following) <= near then
      began = closes
    end
    if began and taken_at >= began + near and now < ends and stored_setting >= 512 and cut == 0 then
      refunded = math.min(cost, used)
      if refunded > 0 then
        used = used - refunded
        redis.call('SETRANGE', key, 10, struct.pack('>I7', used))
      end
    end
  end
  return refunded
end
