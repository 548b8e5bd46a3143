-- Sliding window counter: the count of the current window plus the count of the previous one, weighted by how much of
-- it the trailing window still covers. Near exact on average; the worst trailing window holds up to twice the limit.
--
-- State   a string of big-endian numbers, read faster than the fields of a hash:
--           byte  size
--           0     7     start of the current window, in microseconds
--           7     5     length of the window, in milliseconds, rounded up
--           12    4     previous: units taken in the previous window
--           16    4     current: units taken in the current window; of both, 2^31 more if units were cut off
--         While several settings are alive, the counts of each, of at most four. Each counts every unit:
--           0     1     255, which no start begins with
--           1     7     until when the first setting is alive, in microseconds
--           8     20    its counts; then the next one from its time on
-- @arguments window, tick
-- window  length in microseconds
-- tick    time is weighed in whole ticks of this many microseconds, so that products stay below 2^53:
--         8 * limit * window / tick < 2^53
--
-- When the clock goes back before the start of the current window, or a window comes that has no counts yet, the units that
-- still count become the previous window. It ends at the latest moment at which any of them can have been taken, so
-- they are gone after one window at most.
--
-- A setting stays alive for at least one window after its last request, and for at most two.

-- Finds the counts of a setting in a value that is not just these counts, or makes them of those with the longest window. Of
-- several settings one may have counted units that this one has forgotten: counts made of them give nothing back.
-- Returns
--   start, previous, current  of the setting; start is nil if nothing counts in its window
--   others                    the counts of the other settings that are alive, up to this moment, each as a table: until
--                             when the setting is alive, start, length, previous, current
--   repaired                  whether to write even if nothing is taken
-- @inline
local function find_counts(value, now, operation, window, length)
  local own_start, own_previous, own_current, others, repaired = nil, 0, 0, {}, false
  local several, settings = string.byte(value) == 255, {}
  -- The units that still count as the previous window of another setting; nil if none counts there.
  local function fold(start, stored_length, previous, current, to_window)
    local stored_window, elapsed, cut = stored_length * 1000, now - start, several and 2147483648 or 0
    if elapsed >= stored_window then
      start, previous = start + stored_window, elapsed < 2 * stored_window and current or 0
    elseif current % 2147483648 > 0 then
      if current >= 2147483648 or previous > 0 then
        cut = 2147483648
      end
      local weight = elapsed > 0 and (stored_window - elapsed) / stored_window or 1
      local units = current % 2147483648 + math.ceil(previous % 2147483648 * weight)
      start, previous = now, math.min(units, 2147483647)
    elseif start > now then
      start = now
    end
    if previous % 2147483648 > 0 and now - start < to_window then
      return start, previous + (previous < 2147483648 and cut or 0)
    end
  end

  for at = several and 2 or -6, #value - 26, 27 do
    local alive, from = 2 ^ 56, at + 7
    if several then
      alive = struct.unpack('>I7', value, at)
    end
    local start, stored_length, previous, current = struct.unpack('>I7 I5 I4 I4', value, from)
    -- Else another program has written it: no window is longer than 2^35 milliseconds, 397 days.
    if stored_length > 0 and stored_length <= 34359738368 and #settings < 4 then
      alive = math.min(alive, now + 2000 * stored_length)
      settings[#settings + 1] = { alive, start, stored_length, previous, current }
    end
  end

  local same, source
  for _, each in ipairs(settings) do
    if each[3] == length then
      same = each
    end
    if not source or each[3] > source[3] then
      source = each
    end
  end
  source = same or source
  if same and same[2] <= now then
    own_start, own_previous, own_current = same[2], same[4], same[5]
    repaired = several and operation ~= 'peek' and same[1] < now + window
  elseif source then
    own_start, own_previous = fold(source[2], source[3], source[4], source[5], window)
    -- From a time to come, a peek repairs, too: else a wait would begin anew with each.
    repaired = own_start and (source[2] > now or operation ~= 'peek')
    if several and not own_start then
      own_start, own_previous = now, 2147483648
    end
  end

  local first
  for _, each in ipairs(settings) do
    local alive, start, stored_length, previous, current = unpack(each)
    local stored_window = stored_length * 1000
    local ended, folded = fold(start, stored_length, previous, current, stored_window)
    -- Units that only another setting counted keep it alive while any of them counts.
    if each ~= same and (several or ended) and alive > now then
      if start > now then
        start, previous, current = ended or 0, folded, 0
      end
      if now - start >= 2 * stored_window then
        start, previous, current = now - now % stored_window, 0, 0
      elseif now - start >= stored_window then
        start, previous, current = start + stored_window, current, 0
      end
      others[#others + 1] = { alive, start, stored_length, previous, current }
      if not first or alive < others[first][1] then
        first = #others
      end
    end
  end
  if #others == 4 then
    table.remove(others, first)
  end
  return own_start, own_previous, own_current, others, repaired
end

-- The state of several settings: adds the units taken to the counts of the others. `expires` becomes the moment at which
-- the last of them ends, if that is later.
-- @inline
local function add_counts(bytes, others, now, taken, cut, window, expires)
  if #others > 0 then
    local alive = now + 2 * window
    bytes = '\255' .. struct.pack('>I7', alive) .. bytes
    for _, other in ipairs(others) do
      local live, start, length, previous, current = unpack(other)
      local units = current % 2147483648 + taken
      if units >= 2147483648 then
        units, current = 2147483647, 2147483648
      end
      units = units + (current >= 2147483648 and 2147483648 or cut)
      bytes = bytes .. struct.pack('>I7 I7 I5 I4 I4', live, start, length, previous, units)
      expires = math.max(expires, start + 2000 * length)
    end
  end
  return bytes, expires
end

-- @inline
local function sliding_window_counter(key, now, operation, cost, limit, window, tick)
  local start, stored_length, previous, current
  local value = redis.pcall('GET', key)
  local length = (window + -window % 1000) / 1000
  -- others: nil where no other setting is known. rewrite: more than the current count changes. repaired: write even if
  -- nothing is taken.
  local others
  local rewrite, repaired = true, false
  if type(value) == 'string' and (#value == 20 or #value > 27 and string.byte(value) == 255) then
    start, stored_length, previous, current = struct.unpack('>I7 I5 I4 I4', value, 1)
    -- Several settings begin with a time to come.
    if start > now or stored_length ~= length then
      start, previous, current, others, repaired = find_counts(value, now, operation, window, length)
    end
  end
  if not start or now - start >= 2 * window then
    start, previous, current = now - now % window, 0, 0
  elseif now - start >= window then
    start, previous, current = start + window, current, 0
  else
    rewrite = others
  end
  local ticks = (window + -window % tick) / tick
  local previous_cut, current_cut = 0, 0
  if current > 2 * limit or previous > 2 * limit then
    -- Taken under a higher limit, which may come back, so that as much is kept as products below 2^53 and 31 bits
    -- allow: at least twice the limit, which ticks rounded up can make a little more than 2^51 / ticks.
    local most = math.max(2 * limit, math.min(math.floor(2 ^ 51 / ticks), 2 ^ 31 - 1))
    if current >= 2147483648 then
      current, current_cut = current - 2147483648, 2147483648
    end
    if previous >= 2147483648 then
      previous, previous_cut = previous - 2147483648, 2147483648
    end
    if current > most then
      current, current_cut = most, 2147483648
    end
    if previous > most then
      previous, previous_cut = most, 2147483648
    end
    rewrite = true
  end

  local capacity = limit * ticks
  local elapsed = now - start
  local carried = previous * (ticks - (elapsed - elapsed % tick) / tick)
  local allowed = carried + (current + cost) * ticks <= capacity and 1 or 0
  local takes = operation == 'charge' or (allowed == 1 and operation == 'consume')
  local taken, cut = 0, 0
  if takes then
    taken = math.min(cost, math.max(0, 2 * limit - current))
    if taken < cost then
      current_cut, cut = 2147483648, 2147483648
    end
    current = current + taken
  end
  if takes or repaired then
    local units = current + current_cut
    local count = struct.pack('>I4', units)
    if rewrite then
      local carried_units, expires = previous + previous_cut, start + 2 * window
      local bytes = struct.pack('>I7 I5 I4', start, length, carried_units) .. count
      if others then
        bytes, expires = add_counts(bytes, others, now, taken, cut, window, expires)
      end
      redis.call('SET', key, bytes, 'PXAT', math.floor(expires / 1000) + 2)
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

-- Gives back units of the window in which they were taken, while it counts, to the counts of every setting that is alive,
-- and none if those of the setting are not there. Where units were cut off, the count without these units is
-- unknown: it stays.
-- Returns how many units came back.
-- @inline
local function sliding_window_counter_refund(key, now, taken_at, cost, limit, window)
  local refunded = 0
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and (#value == 20 or #value > 27 and string.byte(value) == 255) then
    local counts = {}
    for first = string.byte(value) == 255 and 9 or 1, #value - 19, 27 do
      local start, stored_length, previous, current = struct.unpack('>I7 I5 I4 I4', value, first)
      local same = stored_length == (window + -window % 1000) / 1000
      local length = same and window or stored_length * 1000
      local at, count, began = first + 15, current, start
      if taken_at < start then
        at, count, began = first + 11, previous, start - length
      end
      if start <= now and now < began + 2 * length and taken_at >= began and taken_at < began + length
        and count > 0 and count < 2147483648
      then
        counts[at] = count
        if same then
          refunded = math.min(cost, count)
        end
      end
    end
    if refunded > 0 then
      for at, count in pairs(counts) do
        count = math.max(0, count - refunded)
        redis.call('SETRANGE', key, at, struct.pack('>I4', count))
      end
    end
  end
  return refunded
end
