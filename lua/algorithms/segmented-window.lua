-- Segmented window: the window in equal segments, each with a count of its own. The running segment and as many full
-- ones as the window has are summed unweighted, so no trailing window ever holds more than the limit.
--
-- State     a string of big-endian numbers, read faster than the fields of a hash:
--             byte  size
--             0     7     start of the newest segment, in microseconds
--             7     6     length of a segment
--             13    1     segments
--             14    4     count of the newest segment, then 4 bytes for each one before it, segments + 1 in all at most
-- length    of a segment, in microseconds
-- segments  how many make the window
--
-- When the clock goes back before the start of the newest segment, or the policy gets other segments, the units that
-- still count become one segment. It ends at the latest moment at which any of them can have been taken, so they are
-- gone after one window at most. All of them count, also beyond a limit that is lower now: it may be raised again.
-- @inline
local function segmented_window(key, now, operation, cost, limit, length, segments)
  -- counts[1] is the running segment; newest is the first segment that has a count, nil if none has.
  local counts, used, newest, start = { 0 }, 0, nil, nil
  local value = redis.pcall('GET', key)
  local passed, moved
  local stored_length, stored_segments = length, segments
  if type(value) == 'string' and #value > 17 then
    start, stored_length, stored_segments = struct.unpack('>I7 I6 I1', value, 1)
    moved = start > now or stored_length ~= length or stored_segments ~= segments
    passed = start > now and 0 or math.floor((now - start) / stored_length)
  end
  -- rewrite: more than the newest count changes. repaired: write even if nothing is taken.
  local rewrite, repaired = passed ~= 0, false
  if passed and passed <= stored_segments then
    start = start + passed * stored_length
    for segment = 1, passed do
      counts[segment] = 0
    end
    for segment = passed + 1, math.min(stored_segments + 1, passed + math.floor((#value - 14) / 4)) do
      local at = 4 * (segment - passed) + 11
      local count = struct.unpack('>I4', value, at)
      counts[segment], used = count, used + count
      if not newest and count > 0 then
        newest = segment
      end
    end
    if moved then
      local ended = newest == 1 and now or newest and math.min(now, start - (newest - 2) * stored_length)
      passed = newest and math.floor((now - ended) / length) or segments
      rewrite, repaired = true, passed < segments
      if repaired then
        start, newest, used = ended + passed * length, passed + 2, math.min(used, 4294967295)
        counts = { 0 }
        for segment = 2, newest do
          counts[segment] = segment == newest and used or 0
        end
      else
        start, newest, used, counts = now - now % length, nil, 0, { 0 }
      end
    end
  else
    start = now - now % length
  end

  local allowed = used + cost <= limit and 1 or 0
  local takes = operation == 'charge' or (allowed == 1 and operation == 'consume')
  if takes then
    -- A count of more than twice the limit was taken under a higher one, which may come back.
    local taken = math.min(counts[1] + cost, math.max(2 * limit, counts[1])) - counts[1]
    counts[1], used, newest = counts[1] + taken, used + taken, 1
  end
  if takes or repaired then
    local packed = {}
    for segment = 1, rewrite and #counts or 1 do
      local count = counts[segment]
      packed[segment] = struct.pack('>I4', count)
    end
    if rewrite then
      local bytes = struct.pack('>I7 I6 I1', start, length, segments) .. table.concat(packed)
      redis.call('SET', key, bytes, 'PXAT', math.floor((start + (segments + 1) * length) / 1000) + 1)
    else
      redis.call('SETRANGE', key, 14, packed[1])
    end
  end

  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  -- A segment leaves the sum when the one that is `segments` after it has ended.
  local retry_after, segment = 0, #counts
  local left = used
  while left + asked > limit do
    left = left - counts[segment]
    retry_after = start + (segments + 2 - segment) * length - now
    segment = segment - 1
  end
  return allowed,
    used < limit and limit - used or 0,
    retry_after,
    newest and start + (segments + 2 - newest) * length - now or 0
end

-- Gives back units of the segment in which they were taken, while it counts. A count of twice the limit has a charge cut
-- off, so that nobody knows what it would be without these units: it stays.
-- Returns how many units came back.
-- @inline
local function segmented_window_refund(key, now, taken_at, cost, limit, length, segments)
  local given = 0
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value > 17 then
    local start, stored_length, stored_segments = struct.unpack('>I7 I6 I1', value, 1)
    -- How many segments before the newest one, and the byte of its count.
    local back = math.ceil((start - taken_at) / length)
    local at = 4 * back + 15
    if stored_length == length and stored_segments == segments and start <= now
      and back >= 0 and at + 3 <= #value and now < start + (segments + 1 - back) * length
    then
      local count = struct.unpack('>I4', value, at)
      if count < 2 * limit then
        given = math.min(cost, count)
      end
      if given > 0 then
        count = count - given
        redis.call('SETRANGE', key, at - 1, struct.pack('>I4', count))
      end
    end
  end
  return given
end
