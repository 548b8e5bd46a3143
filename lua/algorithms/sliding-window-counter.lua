-- Sliding window counter: the count of the current window plus the count of the previous one, weighted by how much of
-- it the trailing window still covers. Near exact on average; the worst trailing window holds up to twice the limit.
--
-- State   a string of big-endian numbers, read faster than the fields of a hash:
--           byte  size
--           0     7     start of the current window, in microseconds
--           7     5     length of the window, in milliseconds, rounded up
--           12    4     previous: units taken in the previous window
--           16    4     current: units taken in the current window
-- window  length in microseconds
-- tick    time is weighed in whole ticks of this many microseconds, so that products stay below 2^53:
--         8 * limit * window / tick < 2^53
--
-- When the clock goes back before the start of the current window, or the policy gets another window, the units that
-- still count become the previous window. It ends at the latest moment at which any of them can have been taken, so
-- they are gone after one window at most.
-- @inline
local function sliding_window_counter(key, now, operation, cost, limit, window, tick)
  local start, stored_length, previous, current
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 20 then
    start, stored_length, previous, current = struct.unpack('>I7 I5 I4 I4', value, 1)
  end
  local length = (window + -window % 1000) / 1000
  -- rewrite: more than the current count changes. repaired: write even if nothing is taken.
  local rewrite, repaired = true, false
  if start and (start > now or stored_length ~= length) then
    local stored_window = stored_length * 1000
    local elapsed = now - start
    if elapsed >= stored_window then
      start, previous, current = start + stored_window, elapsed < 2 * stored_window and current or 0, 0
    end
    if current > 0 then
      local weight = elapsed > 0 and (stored_window - elapsed) / stored_window or 1
      start, previous, current = now, current + math.ceil(previous * weight), 0
    elseif start > now then
      start = now
    end
    repaired = previous > 0 and now - start < window
    if not repaired then
      start = nil
    end
  end
  if not start or now - start >= 2 * window then
    start, previous, current = now - now % window, 0, 0
  elseif now - start >= window then
    start, previous, current = start + window, current, 0
  else
    rewrite = repaired
  end
  local ticks = (window + -window % tick) / tick
  if current > 2 * limit or previous > 2 * limit then
    -- Taken under a higher limit, which may come back, so that as much is kept as products below 2^53 and four bytes
    -- allow: at least twice the limit, which ticks rounded up can make a little more than 2^51 / ticks.
    local most = math.max(2 * limit, math.min(math.floor(2 ^ 51 / ticks), 2 ^ 32 - 1))
    current, previous, rewrite = math.min(current, most), math.min(previous, most), true
  end

  local capacity = limit * ticks
  local elapsed = now - start
  local carried = previous * (ticks - (elapsed - elapsed % tick) / tick)
  local allowed = carried + (current + cost) * ticks <= capacity and 1 or 0
  local takes = operation == 'charge' or (allowed == 1 and operation == 'consume')
  if takes then
    if current + cost <= 2 * limit then
      current = current + cost
    elseif current < 2 * limit then
      current = 2 * limit
    end
  end
  if takes or repaired then
    local count = struct.pack('>I4', current)
    if rewrite then
      local bytes = struct.pack('>I7 I5 I4', start, length, previous) .. count
      redis.call('SET', key, bytes, 'PXAT', math.floor((start + 2 * window) / 1000) + 2)
    else
      redis.call('SETRANGE', key, 16, count)
    end
  end

  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  local retry_after = 0
  if carried + (current + asked) * ticks > capacity then
    if current + asked <= limit then
      -- Within this window: when the previous count has lost enough of its weight.
      local elapsed = ticks - math.floor((limit - current - asked) * ticks / previous)
      retry_after = start + math.min(elapsed * tick, window) - now
    else
      -- In the next one, where the current count is the previous.
      local elapsed = ticks - math.floor((limit - asked) * ticks / current)
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

-- Gives back units of the window in which they were taken, while it counts. A count of twice the limit has a charge cut
-- off, so that nobody knows what it would be without these units: it stays.
-- Returns how many units came back.
-- @inline
local function sliding_window_counter_refund(key, now, taken_at, cost, limit, window)
  local given = 0
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value == 20 then
    local start, stored_length, previous, current = struct.unpack('>I7 I5 I4 I4', value, 1)
    local at, count, began = 16, current, start
    if taken_at < start then
      at, count, began = 12, previous, start - window
    end
    if stored_length == (window + -window % 1000) / 1000 and start <= now and now < began + 2 * window
      and taken_at >= began and taken_at < began + window and count < 2 * limit
    then
      given = math.min(cost, count)
      if given > 0 then
        count = count - given
        redis.call('SETRANGE', key, at, struct.pack('>I4', count))
      end
    end
  end
  return given
end
