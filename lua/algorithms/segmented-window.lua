-- Segmented window: the window in equal segments, one count each. The running segment and as many full ones as
-- the window has are summed unweighted, so no trailing window ever holds more than the limit.
--
-- State    string of big-endian bytes: start of the newest segment in microseconds in 7 of them, length in 6, segments
--          in 1, then counts from the newest back in 4 each
-- length   of a segment in microseconds
-- segments how many of them make the window
--
-- Where the clock went back before the newest segment's start, or the segments are others than they were: what still
-- counts becomes one segment, which has ended at the latest moment at which any of it can have been taken. So it is gone
-- a window later at the most.
local function segmented_window(key, now, operation, cost, limit, length, segments)
  local counts, used, newest, start = { 0 }, 0, nil, nil
  local value = redis.pcall('GET', key)
  local passed, moved
  local old, most = length, segments
  if type(value) == 'string' and #value > 17 then
    local s1, s2, s3, s4, s5, s6, s7, l1, l2, l3, l4, l5, l6, k = string.byte(value, 1, 14)
    start = (((((s1 * 256 + s2) * 256 + s3) * 256 + s4) * 256 + s5) * 256 + s6) * 256 + s7
    old, most = ((((l1 * 256 + l2) * 256 + l3) * 256 + l4) * 256 + l5) * 256 + l6, k
    moved = start > now or old ~= length or most ~= segments
    passed = start > now and 0 or math.floor((now - start) / old)
  end
  -- Whether more than the newest count is to be written, and whether even if nothing is taken.
  local whole, healed = passed ~= 0, false
  if passed and passed <= most then
    start = start + passed * old
    for segment = 1, passed do
      counts[segment] = 0
    end
    for segment = passed + 1, math.min(most + 1, passed + math.floor((#value - 14) / 4)) do
      local at = 4 * (segment - passed) + 11
      local c1, c2, c3, c4 = string.byte(value, at, at + 3)
      local count = ((c1 * 256 + c2) * 256 + c3) * 256 + c4
      if count > 2 * limit then
        -- Only a lowered limit leads here, and a count beyond twice the limit decides nothing more.
        count, whole = 2 * limit, true
      end
      counts[segment], used = count, used + count
      if not newest and count > 0 then
        newest = segment
      end
    end
    if moved then
      local ended = newest == 1 and now or newest and math.min(now, start - (newest - 2) * old)
      passed = newest and math.floor((now - ended) / length) or segments
      whole, healed = true, passed < segments
      if healed then
        start, newest, used = ended + passed * length, passed + 2, math.min(used, 2 * limit)
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
    local taken = math.min(counts[1] + cost, 2 * limit) - counts[1]
    counts[1], used, newest = counts[1] + taken, used + taken, 1
  end
  if takes or healed then
    local texts = {}
    for segment = 1, whole and #counts or 1 do
      local count = counts[segment]
      local c4 = count % 256
      local c3 = (count - c4) / 256 % 256
      local c2 = (count - c4 - c3 * 256) / 65536 % 256
      texts[segment] = string.char((count - c4 - c3 * 256 - c2 * 65536) / 16777216, c2, c3, c4)
    end
    if whole then
      local bytes, number = string.char(segments) .. table.concat(texts), length
      for byte = 1, 13 do
        if byte == 7 then
          number = start
        end
        bytes = string.char(number % 256) .. bytes
        number = math.floor(number / 256)
      end
      redis.call('SET', key, bytes, 'PXAT', math.floor((start + (segments + 1) * length) / 1000) + 1)
    else
      redis.call('SETRANGE', key, 14, texts[1])
    end
  end
  if operation == 'charge' then
    cost = 1
  end

  -- A segment leaves the sum when the one that is `segments` after it has ended.
  local retry_after, segment = 0, #counts
  local left = used
  while left + cost > limit do
    left = left - counts[segment]
    retry_after = start + (segments + 2 - segment) * length - now
    segment = segment - 1
  end
  return allowed,
    used < limit and limit - used or 0,
    retry_after,
    newest and start + (segments + 2 - newest) * length - now or 0
end
