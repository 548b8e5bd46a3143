-- Calendar window: one count per month, week, day or hour of a time zone. Up to twice the limit passes around a boundary.
-- An isolate knows the boundaries, and Redis's clock says in which window a request is.
--
-- State      a string of big-endian numbers:
--              byte  size
--              0     7     began: when the first unit of the counted window was taken, in microseconds
--              7     7     ends: when the window ends
--              14    7     used: units taken in it, at most 2^53
--            The key names the unit, the zone and the anchor of the calendar.
-- @arguments closes, lengths
-- closes     when the window ends that an isolate's clock shows, in microseconds
-- lengths    of that window and of the one after it, in seconds: length * 2^22 + following
--
-- A window that counts goes on until it ends, whichever isolate began it, so that no window admits more than its limit.
-- The clock of an isolate may be wrong by a whole window, and its data about the zone by some hours. A window that ends later
-- than both allow ends with the one that is now. When the clock goes back behind a boundary, the window after it goes on.
-- @inline
local function calendar_window(value, now, operation, cost, limit, closes, lengths)
  local following = lengths % 4194304 * 1000000
  local opens = closes - math.floor(lengths / 4194304) * 1000000
  -- The end of the window that is now by the isolate's calendar, and of the one after it.
  local boundary, later = closes, closes + following
  if now < opens then
    boundary, later = opens, closes
  elseif now >= closes then
    boundary = closes + (math.floor((now - closes) / following) + 1) * following
    later = boundary + following
  end
  -- How far apart two isolates may see one boundary: at most the 14 hours of the zone that is furthest ahead of UTC.
  local near = math.min(following / 8, 50400000000)

  local began, ends, used = now, 0, 0
  if value and #value == 21 then
    began, ends, used = struct.unpack('>I7 I7 I7', value, 1)
  end
  local begins, lost = now >= ends, ends > later + near
  if begins then
    -- An isolate with other data about the zone may have ended this window a little earlier.
    began, ends, used = now, boundary - ends <= near and later or boundary, 0
  elseif lost then
    ends = boundary
  end

  local allowed = used + cost <= limit and 1 or 0
  local takes = operation == 'consume' and allowed == 1 or operation == 'charge'
  if takes then
    used = used + cost < 2 ^ 53 and used + cost or 2 ^ 53
  end
  local bytes, expires
  if lost or takes and begins then
    bytes, expires = struct.pack('>I7 I7 I7', began, ends, used), math.floor((ends + near) / 1000) + 1
  elseif takes then
    bytes = struct.pack('>I7', used)
  end

  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  return allowed,
    used < limit and limit - used or 0,
    used + asked > limit and ends - now or 0,
    used > 0 and ends - now or 0,
    bytes,
    '14',
    expires
end

-- Gives back units of the window that counts now; none of the greatest count, beyond which charges were cut off. Returns how
-- many came back.
-- @inline
local function calendar_window_refund(value, now, taken_at, cost)
  local refunded, state = 0, nil
  if value and #value == 21 then
    local began, ends, used = struct.unpack('>I7 I7 I7', value, 1)
    if taken_at >= began and now < ends and used < 2 ^ 53 then
      refunded = math.min(cost, used)
    end
    if refunded > 0 then
      used = used - refunded
      state = struct.pack('>I7 I7 I7', began, ends, used)
    end
  end
  return refunded, state
end
