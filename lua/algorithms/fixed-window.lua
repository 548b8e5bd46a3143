-- Fixed window: one count per window on a grid of the clock. Up to twice the limit passes around a boundary.
--
-- State    string of 11 bytes, big-endian: start (of the counted window, microseconds) in 7 of them, then used (units
--          taken in it) in 4. Bytes are read faster than a hash's fields.
-- window   length in microseconds
local function fixed_window(key, now, operation, cost, limit, window)
  local start, used
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 11 then
    local s1, s2, s3, s4, s5, s6, s7, u1, u2, u3, u4 = string.byte(value, 1, 11)
    start = (((((s1 * 256 + s2) * 256 + s3) * 256 + s4) * 256 + s5) * 256 + s6) * 256 + s7
    used = ((u1 * 256 + u2) * 256 + u3) * 256 + u4
  end
  -- Whether more than the count is to be written, and whether even if nothing is taken.
  local whole, healed = true, false
  if not start or now - start >= window then
    -- A window that had left the grid, after the clock went back, is counted to its end before the grid's next begins.
    local ended = start and start + window or 0
    start, used = now - now % window, 0
    if ended <= now and start < ended then
      start = start + window
    end
  elseif start - now > window then
    -- The clock went back by more than a window: keep the count for one window, not until the clock catches up.
    start, healed = now + window, true
  else
    whole = false
  end
  local ends = start + window

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
      local number = start
      for _ = 1, 7 do
        bytes = string.char(number % 256) .. bytes
        number = math.floor(number / 256)
      end
      redis.call('SET', key, bytes, 'PXAT', math.floor(ends / 1000) + 1)
    else
      redis.call('SETRANGE', key, 7, bytes)
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
