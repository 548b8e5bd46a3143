-- Segmented window: the window in equal segments, one count each. The running segment and as many full ones as
-- the window has are summed unweighted, so no trailing window ever holds more than the limit.
--
-- State    string: start of the newest segment in microseconds, ":", counts from the newest back, "," between
-- length   of a segment in microseconds
-- segments how many of them make the window
local function segmented_window(key, now, operation, cost, limit, length, segments, ttl)
  local counts = {}
  local value = redis.pcall('GET', key)
  local start, list
  if type(value) == 'string' then
    start, list = string.match(value, '^(%d+):([%d,]+)$')
    start = tonumber(start)
  end
  local passed = start and math.floor((now - start) / length)
  if passed and passed <= segments then
    if passed < 0 then
      passed = 0
      if start - now > length * segments then
        -- The clock went back by more than a window: keep the counts for one window, not until the clock catches up.
        start = now + length * segments
        redis.call('SET', key, string.format('%.0f:%s', start, list), 'PX', ttl)
      end
    end
    start = start + passed * length
    for segment = 1, passed do
      counts[segment] = 0
    end
    local segment = passed
    for count in string.gmatch(list, '%d+') do
      segment = segment + 1
      if segment > segments + 1 then
        break
      end
      counts[segment] = math.min(tonumber(count), 2 * limit)
    end
  else
    start = now - now % length
  end
  counts[1] = counts[1] or 0

  local used, newest = 0, nil
  for segment = 1, #counts do
    used = used + counts[segment]
    if not newest and counts[segment] > 0 then
      newest = segment
    end
  end

  local allowed = used + cost <= limit and 1 or 0
  if operation == 'charge' or (allowed == 1 and operation == 'consume') then
    local taken = math.min(counts[1] + cost, 2 * limit) - counts[1]
    counts[1], used, newest = counts[1] + taken, used + taken, 1
    for segment = 1, #counts do
      counts[segment] = string.format('%.0f', counts[segment])
    end
    redis.call('SET', key, string.format('%.0f:%s', start, table.concat(counts, ',')), 'PX', ttl)
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
