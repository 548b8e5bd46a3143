-- Fixed window: one count per window on a grid of the clock. Up to twice the limit passes around a boundary.
--
-- State    hash: start (of the counted window, microseconds), used (units taken in it)
-- window   length in microseconds
local function fixed_window(key, now, operation, cost, limit, window)
  local state = redis.pcall('HMGET', key, 'start', 'used')
  local start, used = tonumber(state[1]), tonumber(state[2])
  local whole = not (start and used and used >= 0 and now - start < window)
  if whole then
    -- A window that had left the grid, after the clock went back, is counted to its end before the grid's next begins.
    local ended = start and start + window or 0
    start, used = now - now % window, 0
    if ended <= now and start < ended then
      start = start + window
    end
  elseif start - now > window then
    -- The clock went back by more than a window: keep the count for one window, not until the clock catches up.
    start = now + window
    redis.call('HSET', key, 'start', string.format('%.0f', start))
    redis.call('PEXPIREAT', key, math.floor((start + window) / 1000) + 1)
  end
  local ends = start + window

  local allowed = used + cost <= limit and 1 or 0
  if operation == 'charge' or (allowed == 1 and operation == 'consume') then
    local before = used
    used = math.min(used + cost, math.max(2 * limit, used))
    if state.err then
      redis.call('DEL', key)
    end
    -- The increment fails where something else than a count was planted: then the state is written whole, too.
    if whole or type(redis.pcall('HINCRBY', key, 'used', used - before)) == 'table' then
      redis.call('HSET', key, 'start', string.format('%.0f', start), 'used', string.format('%.0f', used))
      redis.call('PEXPIREAT', key, math.floor(ends / 1000) + 1)
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
