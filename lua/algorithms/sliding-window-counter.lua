-- Sliding window counter: the count of the current window plus the previous one's, weighted by how much of it
-- the trailing window still covers. Near exact on average; the worst trailing window holds up to twice the limit.
--
-- State    string of 20 bytes, big-endian: start (of the current window, microseconds) in 7 of them, length (of the
--          window, milliseconds, rounded up) in 5, then previous and current (units taken in each) in 4 each. Bytes are
--          read faster than a hash's fields.
-- window   length in microseconds
-- tick     time is weighed in whole ticks of this many microseconds, so that products stay below 2^53:
--          8 * limit * window / tick < 2^53
--
-- Where the clock went back before the current window's start, or the window is another than it was: what still counts
-- becomes the previous window, which has ended at the latest moment at which any of it can have been taken. So it is gone
-- a window later at the most.
local function sliding_window_counter(key, now, operation, cost, limit, window, tick)
  local start, length, previous, current
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 20 then
    local s1, s2, s3, s4, s5, s6, s7, l1, l2, l3, l4, l5, p1, p2, p3, p4, c1, c2, c3, c4 = string.byte(value, 1, 20)
    start = (((((s1 * 256 + s2) * 256 + s3) * 256 + s4) * 256 + s5) * 256 + s6) * 256 + s7
    length = (((l1 * 256 + l2) * 256 + l3) * 256 + l4) * 256 + l5
    previous = ((p1 * 256 + p2) * 256 + p3) * 256 + p4
    current = ((c1 * 256 + c2) * 256 + c3) * 256 + c4
  end
  -- Whether more than the current count is to be written, and whether even if nothing is taken.
  local whole, healed, milliseconds = true, false, (window + -window % 1000) / 1000
  if start and (start > now or length ~= milliseconds) then
    local old = length * 1000
    local elapsed = now - start
    if elapsed >= old then
      start, previous, current = start + old, elapsed < 2 * old and current or 0, 0
    end
    if current > 0 then
      local weight = elapsed > 0 and (old - elapsed) / old or 1
      start, previous, current = now, current + math.ceil(previous * weight), 0
    elseif start > now then
      start = now
    end
    healed = previous > 0 and now - start < window
    if not healed then
      start = nil
    end
  end
  if not start or now - start >= 2 * window then
    start, previous, current = now - now % window, 0, 0
  elseif now - start >= window then
    start, previous, current = start + window, current, 0
  else
    whole = healed
  end
  if current > 2 * limit or previous > 2 * limit then
    -- More than twice the limit decides nothing more.
    current, previous, whole = math.min(current, 2 * limit), math.min(previous, 2 * limit), true
  end

  local ticks = (window + -window % tick) / tick
  local capacity = limit * ticks
  local elapsed = now - start
  local carried = previous * (ticks - (elapsed - elapsed % tick) / tick)
  local allowed = carried + (current + cost) * ticks <= capacity and 1 or 0
  local takes = operation == 'charge' or (allowed == 1 and operation == 'consume')
  if takes then
    current = current + cost
    if current > 2 * limit then
      current = 2 * limit
    end
  end
  if takes or healed then
    local c4 = current % 256
    local c3 = (current - c4) / 256 % 256
    local c2 = (current - c4 - c3 * 256) / 65536 % 256
    local bytes = string.char((current - c4 - c3 * 256 - c2 * 65536) / 16777216, c2, c3, c4)
    if whole then
      local number = previous
      for byte = 1, 16 do
        if byte == 5 then
          number = milliseconds
        elseif byte == 10 then
          number = start
        end
        bytes = string.char(number % 256) .. bytes
        number = math.floor(number / 256)
      end
      redis.call('SET', key, bytes, 'PXAT', math.floor((start + 2 * window) / 1000) + 2)
    else
      redis.call('SETRANGE', key, 16, bytes)
    end
  end
  if operation == 'charge' then
    cost = 1
  end

  local retry_after = 0
  if carried + (current + cost) * ticks > capacity then
    if current + cost <= limit then
      -- Within this window: when the previous count has lost enough of its weight.
      local elapsed = ticks - math.floor((limit - current - cost) * ticks / previous)
      retry_after = start + math.min(elapsed * tick, window) - now
    else
      -- In the next one, where the current count is the previous.
      local elapsed = ticks - math.floor((limit - cost) * ticks / current)
      retry_after = start + window + math.min(elapsed * tick, window) - now
    end
  end
  local reset_after = 0
  if current > 0 then
    reset_after = start + 2 * window - now
  elseif previous > 0 then
    reset_after = start + window - now
  end
  local remaining = limit - current - (carried + -carried % ticks) / ticks
  return allowed, remaining > 0 and remaining or 0, retry_after, reset_after
end
