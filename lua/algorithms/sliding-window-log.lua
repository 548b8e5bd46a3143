-- Sliding window log: when the units of the trailing window were taken. Exact: no trailing window ever holds more than the
-- limit, and a unit comes back in the microsecond in which it leaves the window.
--
-- State   a string of big-endian numbers: entries, oldest first, and a trailer. The key names the length of the window.
--           entry    7  when units were taken, in microseconds
--                    3  total: how many were ever taken until then, modulo 2^24
--           trailer  3  count of the entries
--                    3  left: how many of them, from the first on, have left the window
--                    3  before: the total of the last one of these
--                    7  oldest: the time of the first one that has not
--                    7  until when the key is kept, in microseconds
--         The totals of two entries tell how many units were taken after the one, up to the other: nothing is added up. Most
--         requests read the newest entry and the trailer, and take with one write: an entry over the trailer, and another trailer.
-- @arguments window
-- limit   at most 100,000, so that differences of totals stay below 2^24
-- window  length in microseconds
--
-- When the clock goes back, units of the future were taken now at the latest: they become one entry, of now.

-- Reads the newest entry and the trailer, which are the end of the value; a missing or foreign value has no entries.
-- @inline
local function read_end(value)
  local bytes = value
  if #bytes ~= 33 then
    bytes = string.rep('\0', 33)
  end
  local newest, total, count, left, before, oldest, kept_until = struct.unpack('>I7 I3 I3 I3 I3 I7 I7', bytes, 1)
  if left >= count or count > 500000 or oldest > newest then
    newest, total, count, left, before, oldest, kept_until = 0, 0, 0, 0, 0, 0, 0
  end
  return newest, total, count, left, before, oldest, kept_until
end

-- Reads an entry and the total of the one before it.
-- @inline
local function read_entry(key, entry)
  local bytes = redis.call('GETRANGE', key, 10 * entry - 20, 10 * entry - 1)
  if #bytes ~= 20 then
    bytes = string.rep('\0', 20)
  end
  local total_before, time, total = struct.unpack('>I3 I7 I3', bytes, 8)
  return total_before, time, total
end

-- Finds the first entry later than a time: entry `low` is not, entry `high` is. The steps double before they halve, because
-- mostly few leave at once. Returns it, the total of the one before it, and its time; both are 0 where it is `high`.
-- @inline
local function first_after(key, low, high, time)
  local from, total_before, found_time = low, 0, 0
  while high - low > 1 do
    local probe = math.min(2 * low - from + 1, math.floor((low + high) / 2))
    local probe_before, probe_time, _ = read_entry(key, probe)
    if probe_time > time then
      high, total_before, found_time = probe, probe_before, probe_time
    else
      low = probe
    end
  end
  return high, total_before, found_time
end

-- @inline
local function sliding_window_log(key, value, now, operation, cost, limit, window)
  local newest, total, count, left, before, oldest, kept_until = read_end(value)
  local stepped_back, start = newest > now, now - window
  if stepped_back then
    local future, before_now = left + 1, now - 1
    if oldest < now then
      local found, _, _ = first_after(key, future, count, before_now)
      future = found
    end
    count, newest, oldest = future, now, math.min(oldest, now)
  end
  if newest <= start then
    left, before = count, total
  elseif oldest <= start then
    local low, high = left + 1, count + 1
    high, before, oldest = first_after(key, low, high, start)
    left = high - 1
  end
  local used = (total - before) % 16777216

  local allowed = used + cost <= limit and 1 or 0
  local takes = operation == 'consume' and allowed == 1 or operation == 'charge'
  if takes then
    -- After 1,000 entries of debt, a charge joins the newest one, which counts from now: so a log has a size.
    local joins = newest == now or count - left > limit + 1000
    local room = 16777215 - used
    local taken = cost < room and cost or room
    used, total, newest, count = used + taken, (total + taken) % 16777216, now, joins and count or count + 1
    if count == left + 1 then
      oldest = now
    end
  end
  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  local retry_after = 0
  if used + asked > limit then
    -- When the entry leaves after which no more units were taken than may stay. One unit leaves with the oldest.
    local leaves, low, high = newest, left + 1, count
    if low == count or used + asked == limit + 1 then
      leaves, high = oldest, low
    end
    low = low - 1
    while high - low > 1 do
      local middle = math.floor((low + high) / 2)
      local entry = redis.call('GETRANGE', key, 10 * middle - 10, 10 * middle - 1) .. '\0\0\0\0\0\0\0\0\0\0'
      local middle_time, middle_total = struct.unpack('>I7 I3', entry, 1)
      if (total - middle_total) % 16777216 > limit - asked then
        low = middle
      else
        high, leaves = middle, middle_time
      end
    end
    -- In a foreign value times may be out of order.
    retry_after = math.max(1, math.min(leaves, newest) + window - now)
  end
  local reset_after = used > 0 and newest + window - now or 0

  local bytes, place, expires
  if takes or stepped_back then
    -- Entries that have left are dropped when they are a quarter, or all, and whenever the key gets another end.
    local rewrites = stepped_back or count == left + 1 or 4 * left > count + 32 or now + window > kept_until
    local entries = ''
    if rewrites and count > left + 1 then
      entries = redis.call('GETRANGE', key, 10 * left, 10 * count - 11)
    end
    if rewrites then
      count, left, kept_until = count - left, 0, now + 2 * window
      expires = math.floor(kept_until / 1000) + 1
    end
    bytes = entries .. struct.pack('>I7 I3 I3 I3 I3 I7 I7', newest, total, count, left, before, oldest, kept_until)
    place = 10 * count - 10
  end
  return allowed, used < limit and limit - used or 0, retry_after, reset_after, bytes, place, expires
end

-- Gives back units of exactly the moment at which they were taken. Returns how many came back.
-- @inline
local function sliding_window_log_refund(key, value, now, taken_at, cost, window)
  local refunded, state = 0, nil
  local newest, total, count, left, before, oldest, kept_until = read_end(value)
  if taken_at > now - window and taken_at >= oldest and taken_at <= newest then
    local found, total_before = left + 1, before
    if taken_at > oldest then
      local low, high, earlier = left + 1, count + 1, taken_at - 1
      local place, place_before, _ = first_after(key, low, high, earlier)
      found, total_before = place, place_before
    end
    local later = redis.call('GETRANGE', key, 10 * found - 10, 10 * count - 1) .. '\0\0\0\0\0\0\0\0\0\0'
    local found_time, found_total = struct.unpack('>I7 I3', later, 1)
    local units = (found_total - total_before) % 16777216
    if found_time == taken_at then
      refunded = math.min(cost, units)
    end
    if refunded > 0 then
      local entries, parts = '', {}
      if found > left + 1 then
        entries = redis.call('GETRANGE', key, 10 * left, 10 * found - 11)
      end
      for each = refunded == units and 2 or 1, #later / 10 - 1 do
        local at = 10 * each - 9
        local time, entry_total = struct.unpack('>I7 I3', later, at)
        entry_total = (entry_total - refunded) % 16777216
        parts[#parts + 1] = struct.pack('>I7 I3', time, entry_total)
      end
      entries = entries .. table.concat(parts)
      count, left, oldest = #entries / 10, 0, 0
      if count > 0 then
        oldest = struct.unpack('>I7', entries, 1)
      end
      local trailer = struct.pack('>I3 I3 I3 I7 I7', count, left, before, oldest, kept_until)
      state = entries .. trailer
    end
  end
  return refunded, state
end
