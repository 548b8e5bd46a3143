-- Fixed window: one count per window, on a grid of the clock or from the first request on. Up to twice the limit passes
-- around a boundary.
--
-- State    a string of big-endian numbers, read faster than the fields of a hash:
--            byte  size
--            0     7     ends: when the counted window ends, in microseconds
--            7     2     setting of the window
--            9     1     cut: 1 if a charge was cut off, else 0
--            10    7     used: units taken in the window
-- @arguments window, setting
-- window   length in microseconds
-- setting  the length as a number from 0 to 255, in steps of a tenth, so that a changed window is noticed; 256 more if a
--          window begins with its first request
--
-- When the clock goes back, the counted window has not begun yet. It then begins now, so that no client waits longer
-- than a window. That window is off the grid, and those after it follow it without a gap until one passes without a request:
-- a window of the grid could begin before the one off the grid has ended, and let a third burst through. Windows that
-- begin with a request never touch: any span of a window's length meets two of them at most.
--
-- When the policy gets another window of the grid, the units taken count in the current window of the new grid; if the old
-- window was longer, they count no longer than it would have lasted. A window that begins with a request does not know when
-- one of another setting began: it lets that one end first, if it is no longer than itself.
-- @inline
local function fixed_window(key, now, operation, cost, limit, window, setting)
  local ends, stored_setting, cut, used
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 17 then
    ends, stored_setting, cut, used = struct.unpack('>I7 I2 I1 I7', value, 1)
  end
  local on_grid = setting < 256
  -- rewrite: ends or the setting changes, not only the count. repaired: write even if nothing is taken, but a peek only
  -- after the clock went back: else a wait would begin anew with each.
  local rewrite, repaired = true, false
  if not ends or now >= ends then
    if not on_grid then
      ends = now + window
    elseif ends and now - ends < window and stored_setting == setting then
      ends = ends + window
    else
      ends = now - now % window + window
    end
    cut, used = 0, 0
  elseif on_grid and stored_setting ~= setting then
    local boundary = now - now % window + window
    if stored_setting < setting or stored_setting >= 256 or ends > boundary then
      ends = boundary
    end
    repaired = operation ~= 'peek'
  elseif ends - now > window then
    ends, repaired = now + window, operation ~= 'peek' or stored_setting == setting
  else
    rewrite = false
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
      -- Off the grid, the key outlives its window by one more, which may have to follow it.
      local expires = on_grid and ends % window > 0 and ends + window or ends
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

-- Gives back units of the window that counts now. Where a charge was cut off, the count without these units is
-- unknown: it stays.
-- Returns how many units came back.
-- @inline
local function fixed_window_refund(key, now, taken_at, cost, limit, window, setting)
  local refunded = 0
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 17 then
    local ends, stored_setting, cut, used = struct.unpack('>I7 I2 I1 I7', value, 1)
    if taken_at >= ends - window and now < ends and stored_setting == setting and cut == 0 then
      refunded = math.min(cost, used)
      if refunded > 0 then
        used = used - refunded
        redis.call('SETRANGE', key, 10, struct.pack('>I7', used))
      end
    end
  end
  return refunded
end
