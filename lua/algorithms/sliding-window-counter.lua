-- Sliding window counter: the count of the current window plus the count of the previous one, weighted by how much of
-- it the trailing window still covers. Near exact on average; the worst trailing window holds up to twice the limit.
--
-- State   a string of big-endian numbers:
--           byte  size
--           0     7     start of the current window, in microseconds
--           7     7     previous: units taken in the previous window, at most 2^53
--           14    7     current: units taken in the current window, at most 2^53
--         The key names the length of the window.
-- @arguments window, tick
-- window  length in microseconds
-- tick    time is weighed in whole ticks of this many microseconds, so that limit * window / tick < 2^50. A product that is
--         greater than 2^53, and inexact, is then that of a count which surely exceeds the limit.
--
-- When the clock goes back before the start of the current window, all units become the previous window, which ends now: they
-- are gone after one window. A denial and a peek write that, too, or the wait would begin anew with each of them. The windows
-- after it begin where it ended, until one passes in which nothing is taken. When the clock goes back within the current
-- window, the state stays, and the previous count weighs more again.
-- @inline
local function sliding_window_counter(value, now, operation, cost, limit, window, tick)
  local start, previous, current = 0, 0, 0
  if value and #value == 21 then
    start, previous, current = struct.unpack('>I7 I7 I7', value, 1)
  end
  local stepped_back, same_window = now < start, false
  if stepped_back then
    start, previous, current = now, math.min(previous + current, 2 ^ 53), 0
  elseif now < start + window then
    same_window = true
  elseif now < start + 2 * window then
    start, previous, current = start + window, current, 0
  else
    start, previous, current = now - now % window, 0, 0
  end

  -- `x - x % 1` rounds down and `x + -x % 1` up, for half the price of a function.
  local elapsed, ticks = (now - start) / tick, window / tick
  ticks = ticks + -ticks % 1
  local capacity = limit * ticks
  local carried = previous * (ticks - elapsed + elapsed % 1)
  local allowed = carried + (current + cost) * ticks <= capacity and 1 or 0
  local takes = operation == 'consume' and allowed == 1 or operation == 'charge'
  if takes then
    current = current + cost < 2 ^ 53 and current + cost or 2 ^ 53
  end
  local bytes, expires
  if takes and same_window then
    bytes = struct.pack('>I7', current)
  elseif takes or stepped_back then
    bytes, expires = struct.pack('>I7 I7 I7', start, previous, current), math.floor((start + 2 * window) / 1000) + 1
  end

  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  local retry_after = 0
  if carried + (current + asked) * ticks > capacity then
    -- When the count carried over has lost enough of its weight: in this window, or in the next one, where the current count
    -- is the previous.
    local from, room, count = start, limit - current - asked, previous
    if room < 0 then
      from, room, count = start + window, limit - asked, current
    end
    local passed = ticks - math.floor(room * ticks / count)
    retry_after = from + math.min(passed * tick, window) - now
  end
  local reset_after = 0
  if current > 0 then
    reset_after = start + 2 * window - now
  elseif previous > 0 then
    reset_after = start + window - now
  end
  local left = (capacity - carried) / ticks - current
  return allowed, left > 0 and left - left % 1 or 0, retry_after, reset_after, bytes, '14', expires
end

-- Gives back units of the window in which they were taken, while it counts; none of the greatest count, beyond which charges
-- were cut off. Returns how many came back.
-- @inline
local function sliding_window_counter_refund(value, now, taken_at, cost, window)
  local refunded, state = 0, nil
  if value and #value == 21 then
    local start, previous, current = struct.unpack('>I7 I7 I7', value, 1)
    local began, count = start, current
    if taken_at < start then
      began, count = start - window, previous
    end
    local counts = start <= now and now < began + 2 * window and count < 2 ^ 53
    if counts and taken_at >= began and taken_at < began + window then
      refunded = math.min(cost, count)
    end
    if refunded > 0 and began == start then
      current = current - refunded
    else
      previous = previous - refunded
    end
    if refunded > 0 then
      state = struct.pack('>I7 I7 I7', start, previous, current)
    end
  end
  return refunded, state
end
