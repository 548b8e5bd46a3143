-- Fixed window: one count per window, on the grid of the clock or from the first request on. Up to twice the limit passes
-- around a boundary.
--
-- State    a string of big-endian numbers:
--            byte  size
--            0     7     ends: when the counted window ends, in microseconds
--            7     7     used: units taken in it, at most 2^53
--          The key names the length of the window, and whether it is on the grid.
-- @arguments window, aligned
-- window   length in microseconds
-- aligned  1 if windows are on the grid, 0 if each begins with a request
--
-- When the clock goes back before the counted window, that window begins now, so that no client waits longer than a window. It
-- is off the grid then, and those after it follow it without a gap until one passes without a request: a window of the
-- grid could begin before the one off the grid has ended, and let a third burst through. Windows that begin with a request
-- never touch: any span of a window's length meets two of them at most.
-- @inline
local function fixed_window(value, now, operation, cost, limit, window, aligned)
  local ends, used = 0, 0
  if value and #value == 14 then
    ends, used = struct.unpack('>I7 I7', value, 1)
  end
  local begins, stepped_back = now >= ends, ends > now + window
  if begins then
    used = 0
    if aligned == 0 then
      ends = now + window
    elseif now < ends + window then
      ends = ends + window
    else
      ends = now - now % window + window
    end
  elseif stepped_back then
    ends = now + window
  end

  local allowed = used + cost <= limit and 1 or 0
  local takes = operation == 'consume' and allowed == 1 or operation == 'charge'
  if takes then
    used = used + cost < 2 ^ 53 and used + cost or 2 ^ 53
  end
  local bytes, expires
  if stepped_back or takes and begins then
    -- Off the grid, the key outlives its window by one more, which may have to follow it.
    local kept_until = aligned == 1 and ends % window > 0 and ends + window or ends
    bytes, expires = struct.pack('>I7 I7', ends, used), math.floor(kept_until / 1000) + 1
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
    '7',
    expires
end

-- Gives back units of the window that counts now; none of the greatest count, beyond which charges were cut off. Returns how
-- many came back.
-- @inline
local function fixed_window_refund(value, now, taken_at, cost, window)
  local refunded, state = 0, nil
  if value and #value == 14 then
    local ends, used = struct.unpack('>I7 I7', value, 1)
    if taken_at >= ends - window and now < ends and used < 2 ^ 53 then
      refunded = math.min(cost, used)
    end
    if refunded > 0 then
      used = used - refunded
      state = struct.pack('>I7 I7', ends, used)
    end
  end
  return refunded, state
end
