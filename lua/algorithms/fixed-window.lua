-- Fixed window: one count per window on a grid of the clock. Up to twice the limit passes around a boundary.
--
-- State    string of 12 bytes, big-endian: ends (of the counted window, microseconds) in 7 of them, the window's size in
--          1, then used (units taken in it) in 4. Bytes are read faster than a hash's fields.
-- window   length in microseconds
-- size     the same as a number from 0 to 255, in steps of a tenth: so a window that was changed is noticed
--
-- A clock that goes back finds a window that has not begun yet: it then begins now, so that nobody waits for longer than
-- a window. That takes it off the grid, and those after it follow from it, until a window without a request: a window of
-- the grid could begin before the one off it has ended, and a third burst would fit in.
--
-- Under another window, what was taken counts in the window of the new grid, and not beyond the old one's end if that
-- was the longer.
local function fixed_window(key, now, operation, cost, limit, window, size)
  local ends, measure, used
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 12 then
    local e1, e2, e3, e4, e5, e6, e7, m, u1, u2, u3, u4 = string.byte(value, 1, 12)
    ends = (((((e1 * 256 + e2) * 256 + e3) * 256 + e4) * 256 + e5) * 256 + e6) * 256 + e7
    measure, used = m, ((u1 * 256 + u2) * 256 + u3) * 256 + u4
  end
  -- Whether more than the count is to be written, and whether even if nothing is taken.
  local whole, healed = true, false
  if not ends or now >= ends then
    ends = ends and now - ends < window and measure == size and ends + window or now - now % window + window
    used = 0
  elseif measure ~= size then
    local boundary = now - now % window + window
    if measure < size or ends > boundary then
      ends = boundary
    end
    healed = true
  elseif ends - now > window then
    ends, healed = now + window, true
  else
    whole = false
  end

  local allowed = used + cost <= limit and 1 or 0
  local takes = operation == 'charge' or (allowed == 1 and operation == 'consume')
  if takes then
    used = math.min(used + cost, math.max(2 * limit, used))
  end
  if takes or healed then
    local u4 = used % 256
    local u3 = (used - u4) / 256 % 256
    local u2 = (used - u4 - u3 * 256) / 65536 % 256
    local bytes = string.char((used - u4 - u3 * 256 - u2 * 65536) / 16777216, u2, u3, u4)
    if whole then
      local number = ends
      bytes = string.char(size) .. bytes
      for _ = 1, 7 do
        bytes = string.char(number % 256) .. bytes
        number = math.floor(number / 256)
      end
      -- Off the grid it is kept until no window that follows from it can matter.
      local over = ends % window > 0 and ends + window or ends
      redis.call('SET', key, bytes, 'PXAT', math.floor(over / 1000) + 1)
    else
      redis.call('SETRANGE', key, 8, bytes)
    end
  end
  if operation == 'charge' then
    cost = 1
  end

  return allowed,
    used < limit and limit - used or 0,
    used + cost > limit and ends - now or 0,
    used > 0 and ends - now or 0
end
