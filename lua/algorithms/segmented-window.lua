-- Segmented window: the window in equal segments, each with a count of its own. The running segment and as many full
-- ones as the window has are summed unweighted, so no trailing window ever holds more than the limit.
--
-- State     a string of big-endian numbers:
--             byte  size
--             0     7     start of the newest segment, in microseconds
--             7     4     count of the newest segment, then 4 bytes for each one before it, segments + 1 in all at most
--           A count is at most 2^32 - 1. The key names the window and the number of its segments.
-- @arguments length, segments
-- length    of a segment, in microseconds
-- segments  how many make the window
--
-- When the clock goes back before the start of the newest segment, all units become one segment that ends now: they are
-- gone after one window.
-- @inline
local function segmented_window(value, now, operation, cost, limit, length, segments)
  local start, stored = now - now % length, 0
  if value and #value >= 11 and #value <= 11 + 4 * segments and #value % 4 == 3 then
    start = struct.unpack('>I7', value, 1)
    stored = (#value - 7) / 4
  end
  local elapsed = (now - start) / length
  local passed = elapsed - elapsed % 1
  local stepped_back = passed < 0
  if stepped_back then
    start = now
  elseif passed <= segments then
    start = start + passed * length
  else
    start, stored, passed = now - now % length, 0, 0
  end

  -- counts[1] is the running segment.
  local counts, used, newest = { 0 }, 0, nil
  for segment = 2, stepped_back and 2 or passed do
    counts[segment] = 0
  end
  for each = 1, stored do
    local at, segment = 4 * each + 4, stepped_back and 2 or passed + each
    if segment <= segments + 1 then
      local count = struct.unpack('>I4', value, at)
      counts[segment] = stepped_back and math.min((counts[2] or 0) + count, 4294967295) or count
      if count > 0 and not newest then
        newest = segment
      end
    end
  end
  for _, count in ipairs(counts) do
    used = used + count
  end

  local allowed = used + cost <= limit and 1 or 0
  local takes = operation == 'consume' and allowed == 1 or operation == 'charge'
  if takes then
    local room = 4294967295 - counts[1]
    local taken = cost < room and cost or room
    counts[1], used, newest = counts[1] + taken, used + taken, 1
  end
  local bytes, expires
  if takes and passed == 0 and stored > 0 then
    local count = counts[1]
    bytes = struct.pack('>I4', count)
  elseif takes or stepped_back then
    local packed = {}
    for segment, count in ipairs(counts) do
      packed[segment] = struct.pack('>I4', count)
    end
    bytes = struct.pack('>I7', start) .. table.concat(packed)
    expires = math.floor((start + (segments + 1) * length) / 1000) + 1
  end

  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  -- A segment leaves the sum when the one that is `segments` after it has ended.
  local retry_after, left, segment = 0, used, #counts
  while left + asked > limit do
    left = left - counts[segment]
    retry_after = start + (segments + 2 - segment) * length - now
    segment = segment - 1
  end
  local reset_after = newest and start + (segments + 2 - newest) * length - now or 0
  return allowed, used < limit and limit - used or 0, retry_after, reset_after, bytes, '7', expires
end

-- Gives back units of the segment in which they were taken, while it counts; none of the greatest count, beyond which charges
-- were cut off. Returns how many came back.
-- @inline
local function segmented_window_refund(value, now, taken_at, cost, length, segments)
  local refunded, state = 0, nil
  if value and #value >= 11 then
    local start = struct.unpack('>I7', value, 1)
    -- How many segments before the newest one.
    local back = math.ceil((start - taken_at) / length)
    local at, count = 8 + 4 * back, 0
    if start <= now and back >= 0 and at + 3 <= #value and now < start + (segments + 1 - back) * length then
      count = struct.unpack('>I4', value, at)
    end
    if count < 4294967295 then
      refunded = math.min(cost, count)
    end
    if refunded > 0 then
      count = count - refunded
      state = string.sub(value, 1, at - 1) .. struct.pack('>I4', count) .. string.sub(value, at + 4)
    end
  end
  return refunded, state
end
