-- Fixed window: one count per window on a grid of the clock. Up to twice the limit passes around a boundary.
--
-- State       a string of big-endian numbers, read faster than the fields of a hash:
--               byte  size
--               0     7     ends: when the counted window ends, in microseconds
--               7     1     size class of the window
--               8     4     used: units taken in the window; 2^31 more if a charge was cut off
-- @arguments window, size_class
-- window      length in microseconds
-- size_class  the length as a number from 0 to 255, in steps of a tenth, so that a changed window is noticed
--
-- When the clock goes back, the counted window has not begun yet. It then begins now, so that nobody waits longer than
-- a window. That window is off the grid, and those after it follow it without a gap until one passes without a request:
-- a window of the grid could begin before the one off the grid has ended, and let a third burst through.
--
-- When the policy gets another window, the units taken count in the current window of the new grid; if the old window
-- was longer, they count no longer than it would have lasted.
-- @inline
local function fixed_window(key, now, operation, cost, limit, window, size_class)
  local ends, stored_class, used
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 12 then
    ends, stored_class, used = struct.unpack('>I7 I1 I4', value, 1)
  end
  -- rewrite: ends or the size class changes, not only the count. repaired: write even if nothing is taken.
  local rewrite, repaired = true, false
  if not ends or now >= ends then
    ends = ends and now - ends < window and stored_class == size_class and ends + window or now - now % window + window
    used = 0
  elseif stored_class ~= size_class then
    local boundary = now - now % window + window
    if stored_class < size_class or ends > boundary then
      ends = boundary
    end
    repaired = true
  elseif ends - now > window then
    ends, repaired = now + window, true
  else
    rewrite = false
  end

  local cut = 0
  if used >= 2147483648 then
    used, cut = used - 2147483648, 2147483648
  end
  local allowed = used + cost <= limit and 1 or 0
  local takes = operation == 'charge' or (allowed == 1 and operation == 'consume')
  if takes then
    local most = math.max(2 * limit, used)
    used = used + cost
    if used > most then
      used, cut = most, 2147483648
    end
  end
  if takes or repaired then
    local units = used + cut
    local count = struct.pack('>I4', units)
    if rewrite then
      -- Off the grid, the key outlives its window by one more, which may have to follow it.
      local expires = ends % window > 0 and ends + window or ends
      local bytes = struct.pack('>I7 I1', ends, size_class) .. count
      redis.call('SET', key, bytes, 'PXAT', math.floor(expires / 1000) + 1)
    else
      redis.call('SETRANGE', key, 8, count)
    end
  end

  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  return allowed,
    used < limit and limit - used or 0,
    used + asked > limit and ends - now or 0,
    used > 0 and ends - now or 0
end

-- Gives back units of the window that counts now. Where a charge was cut off, nobody knows what the count would be without
-- these units: it stays.
-- Returns how many units came back.
-- @inline
local function fixed_window_refund(key, now, taken_at, cost, limit, window, size_class)
  local given = 0
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 12 then
    local ends, stored_class, used = struct.unpack('>I7 I1 I4', value, 1)
    if taken_at >= ends - window and now < ends and stored_class == size_class and used < 2147483648 then
      given = math.min(cost, used)
      if given > 0 then
        used = used - given
        redis.call('SETRANGE', key, 8, struct.pack('>I4', used))
      end
    end
  end
  return given
end
