-- Sliding window counter: the count of the current window plus the previous one's, weighted by how much of it
-- the trailing window still covers. Near exact on average; the worst trailing window holds up to twice the limit.
--
-- State    hash: start (of the current window, microseconds), current, previous (units taken in each)
-- window   length in microseconds
-- tick     time is weighed in whole ticks of this many microseconds, so that products stay below 2^53:
--          8 * limit * window / tick < 2^53
local function sliding_window_counter(key, now, operation, cost, limit, window, tick)
  local state = redis.pcall('HMGET', key, 'start', 'current', 'previous')
  local start, current, previous = tonumber(state[1]), tonumber(state[2]), tonumber(state[3])
  local whole = true
  if not (start and current and previous and current >= 0 and previous >= 0 and now - start < 2 * window) then
    start, current, previous = now - now % window, 0, 0
  elseif now - start >= window then
    start, current, previous = start + window, 0, current
  else
    whole = false
    if start - now > window then
      -- The clock went back by more than a window: keep the counts for one window, not until the clock catches up.
      start = now + window
      redis.call('HSET', key, 'start', string.format('%.0f', start))
      redis.call('PEXPIREAT', key, math.floor((start + 2 * window) / 1000) + 1)
    end
  end
  if current > 2 * limit or previous > 2 * limit then
    -- Only a lowered limit leads here, and a count beyond twice the limit decides nothing more.
    current, previous, whole = math.min(current, 2 * limit), math.min(previous, 2 * limit), true
  end

  local ticks = math.ceil(window / tick)
  -- While the clock lags behind the window, the window has only just begun.
  local elapsed = now > start and math.floor((now - start) / tick) or 0
  local carried = previous * (ticks - elapsed)
  local allowed = carried + (current + cost) * ticks <= limit * ticks and 1 or 0
  if operation == 'charge' or (allowed == 1 and operation == 'consume') then
    local before = current
    current = math.min(current + cost, 2 * limit)
    if state.err then
      redis.call('DEL', key)
    end
    -- The increment fails where something else than a count was planted: then the state is written whole, too.
    if whole or type(redis.pcall('HINCRBY', key, 'current', current - before)) == 'table' then
      redis.call('HSET', key, 'start', string.format('%.0f', start),
        'current', string.format('%.0f', current), 'previous', string.format('%.0f', previous))
      redis.call('PEXPIREAT', key, math.floor((start + 2 * window) / 1000) + 1)
    end
  end
  if operation == 'charge' then
    cost = 1
  end

  local retry_after = 0
  if carried + (current + cost) * ticks > limit * ticks then
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
  local remaining = limit - current - math.ceil(carried / ticks)
  return allowed, remaining > 0 and remaining or 0, retry_after, reset_after
end
