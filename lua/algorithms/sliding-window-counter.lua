-- Sliding window counter: the count of the current window plus the previous one's, weighted by how much of it
-- the trailing window still covers. Near exact on average; the worst trailing window holds up to twice the limit.
--
-- State    string of 15 bytes, big-endian: start (of the current window, microseconds) in 7 of them, then previous
--          and current (units taken in each) in 4 each. Bytes are read faster than a hash's fields.
-- window   length in microseconds
-- tick     time is weighed in whole ticks of this many microseconds, so that products stay below 2^53:
--          8 * limit * window / tick < 2^53
local function sliding_window_counter(key, now, operation, cost, limit, window, tick)
  local start, current, previous
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 15 then
    local s1, s2, s3, s4, s5, s6, s7, p1, p2, p3, p4, c1, c2, c3, c4 = string.byte(value, 1, 15)
    start = (((((s1 * 256 + s2) * 256 + s3) * 256 + s4) * 256 + s5) * 256 + s6) * 256 + s7
    previous = ((p1 * 256 + p2) * 256 + p3) * 256 + p4
    current = ((c1 * 256 + c2) * 256 + c3) * 256 + c4
  end
  -- Whether more than the current count is to be written, and whether even if nothing is taken.
  local whole, healed = true, false
  if not start or now - start >= 2 * window then
    start, current, previous = now - now % window, 0, 0
  elseif now - start >= window then
    start, current, previous = start + window, 0, current
  elseif start - now > window then
    -- The clock went back by more than a window: keep the counts for one window, not until the clock catches up.
    start, healed = now + window, true
  else
    whole = false
  end
  if current > 2 * limit or previous > 2 * limit then
    -- Only a lowered limit leads here, and a count beyond twice the limit decides nothing more.
    current, previous, whole = math.min(current, 2 * limit), math.min(previous, 2 * limit), true
  end

  local ticks = (window + -window % tick) / tick
  local capacity = limit * ticks
  -- While the clock lags behind the window, the window has only just begun.
  local elapsed = now > start and now - start or 0
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
      for byte = 1, 11 do
        if byte == 5 then
          number = start
        end
        bytes = string.char(number % 256) .. bytes
        number = math.floor(number / 256)
      end
      redis.call('SET', key, bytes, 'PXAT', math.floor((start + 2 * window) / 1000) + 1)
    else
      redis.call('SETRANGE', key, 11, bytes)
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
