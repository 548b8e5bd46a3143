-- Sliding window log: the time of every unit taken in the trailing window. Exact: no trailing window ever holds more
-- than the limit, and a unit comes back in the microsecond in which it leaves the window.
--
-- State   a string of big-endian numbers, a header and a ring of slots:
--           byte  size
--           0     7     expires: when the key expires, in milliseconds
--           7     2     pages: length of the ring, in pages of 8 slots
--           9     3     tail: the slot of the oldest unit
--           12    3     used: how many units the ring holds, in the slots from the tail on
--           15    7     newest: time of the newest unit
--           22    56    a copy of the tail's page
--           78    56    the first page, then the others; a ring of one page starts at 22 and has no copy
--         A slot is the time of one unit in 7 bytes: microseconds until the year 4253. After the last slot comes the
--         first. A unit is named by its distance from the tail: unit 0 is the oldest, unit used - 1 the newest.
-- limit   at most 2^17, the longest ring that the header can describe
-- window  length in microseconds
-- ttl     how long a key is kept after a write, in milliseconds, at least two windows
--
-- Most requests read the header alone: its copy of a page shows which units have left the window, `newest` shows when
-- the rest will have left. Taking a unit writes one slot and a part of the header. The ring grows with what it holds, so
-- that a key takes little more than 7 bytes per unit.
--
-- The functions below are the steps of a request in their order; the last one takes them.

-- The state, or an empty one where there is nothing or nothing of ours.
-- @inline
local function read_header(key)
  local header = redis.pcall('GETRANGE', key, '0', '77')
  -- An error is a table without a length.
  if #header ~= 78 then
    header = string.rep('\0', 78)
  end
  local expires, pages, tail, used, newest = struct.unpack('>I7 I2 I3 I3 I7', header, 1)
  local slots = 8 * pages
  if slots > 131072 or tail >= slots or used > slots then
    slots, tail, used = 8, 0, 0
  end
  return header, expires, slots, tail, used, newest
end

-- The time of a unit, read from the ring, which starts at byte `ring`.
-- @inline
local function time_of(unit, key, ring, slots, tail)
  return redis.call('BITFIELD_RO', key, 'GET', 'u56', 8 * ring + 56 * ((tail + unit) % slots))[1]
end

-- Finds the units that have left the window, and those of the future, which are there once the clock went back. Those
-- were taken now at the latest, so they count as taken now: they stay for one window from now.
--   expired  the first unit that has not left the window; `used` if all have
--   oldest   its time, nil if there is none
--   kept     the first unit of the future; `used` if there is none
--   newest   the time of the newest unit, at most now
-- @inline
local function find_window(key, header, ring, slots, tail, used, newest, now, window)
  local expired, oldest, kept = 0, nil, used
  if used > 0 then
    local future = newest > now
    if future then
      newest = now
    end
    local start = now - window
    if newest <= start then
      expired = used
    else
      -- Through the copy of the tail's page, as far as it goes.
      local at = 16 + tail % 8 * 7
      expired = -1
      repeat
        expired, at = expired + 1, at + 7
        oldest = struct.unpack('>I7', header, at)
      until oldest > start or at == 72
      if future or oldest <= start or expired >= used then
        -- The first unit later than a time, and its own time. The unit `before` is not later, and the newest is.
        -- The steps double first, then halve: few units leave at once.
        local function first_after(time, before)
          local left, right, found = before, used - 1, newest
          while right - left > 1 do
            local probe = math.min(2 * left - before + 1, math.floor((left + right) / 2))
            local probed = time_of(probe, key, ring, slots, tail)
            if probed <= time then
              left = probe
            else
              right, found = probe, probed
            end
          end
          return right, found
        end
        if future then
          kept = first_after(newest, -1)
        end
        if oldest <= start or expired >= used then
          expired, oldest = first_after(start, expired)
        end
      end
    end
  end
  return expired, oldest, kept, newest
end

-- How long until `asked` units fit, and until all units have left. `first` is the first unit that counts.
-- @inline
local function wait_times(
  asked, limit, window, now, key, ring, slots, tail, expired, oldest, kept, newest, first, total
)
  local retry_after, reset_after = 0, 0
  if total > 0 then
    -- What is asked for fits once this unit has left.
    local last = first + total + asked - limit - 1
    if last >= first then
      if last >= kept then
        oldest = newest
      elseif last > expired then
        oldest = time_of(last, key, ring, slots, tail)
      end
      -- Times out of order are not ours: no wait is longer than the newest unit's, and none is negative.
      if oldest > newest then
        oldest = newest
      elseif oldest <= now - window then
        oldest = now - window + 1
      end
      retry_after = oldest + window - now
    end
    reset_after = newest + window - now
  end
  return retry_after, reset_after
end

-- The slots from `start` on as one string of `count` units: the ring cut open.
-- @inline
local function unroll(key, ring, slots, start, count)
  local units = redis.call('GETRANGE', key, ring, '-1')
  units = units .. string.rep('\0', 7 * slots - #units)
  units = string.sub(units, 7 * start + 1, 7 * slots) .. string.sub(units, 1, 7 * start)
  units = string.sub(units, 1, 7 * count)
  return units
end

-- Forgets the units before `first`, keeps those before `kept`, and adds `added` units of the time `newest` after them.
-- @inline
local function write(
  key, ring, slots, tail, used, first, kept, added, newest, expires, limit, window, now, ttl
)
  local size, start, slot, units = kept - first + added, (tail + first) % slots, (tail + kept) % slots, ''
  local rewrite = size > slots or first == used
  if rewrite then
    if first < used then
      local count = kept - first
      units = unroll(key, ring, slots, start, count)
    end
    -- An eighth more than it holds: enough that growing costs little per unit, little enough not to be seen.
    start, slots = 0, 8 * math.ceil(math.max(size, math.min(limit, 16 + size + math.floor(size / 8))) / 8)
  end

  local fields = struct.pack('>I3 I3 I7', start, size, newest)
  local times = string.sub(fields, 7)
  if added ~= 1 then
    times = string.rep(times, added)
  end

  if rewrite then
    units = units .. times .. string.rep('\0', 7 * (slots - size))
  else
    local page, room = start - start % 8, 7 * (slots - slot)
    if #times > room then
      redis.call('SETRANGE', key, ring, string.sub(times, room + 1))
      times = string.sub(times, 1, room)
    end
    redis.call('SETRANGE', key, ring + 7 * slot, times)
    -- The copy, if the tail is in another page now, or the first unit added is in the tail's page.
    if slots > 8 and (page ~= tail - tail % 8 or page == slot - slot % 8) then
      fields = fields .. redis.call('GETRANGE', key, ring + 7 * page, ring + 7 * page + 55)
    end
  end
  if rewrite or expires * 1000 <= newest + window then
    -- For two windows, so that the expiry is renewed once per window and not with every unit.
    local expiry, pages = math.floor(now / 1000) + ttl, slots / 8
    fields = struct.pack('>I7 I2', expiry, pages) .. fields
    if rewrite then
      redis.call('SET', key, fields .. (slots > 8 and string.sub(units, 1, 56) or '') .. units, 'PX', ttl)
    else
      redis.call('SETRANGE', key, '0', fields)
      redis.call('PEXPIRE', key, ttl)
    end
  else
    redis.call('SETRANGE', key, '9', fields)
  end
end

-- @inline
local function sliding_window_log(key, now, operation, cost, limit, window, ttl)
  local header, expires, slots, tail, used, last_write = read_header(key)
  local ring = slots > 8 and 78 or 22
  local expired, oldest, kept, newest = find_window(key, header, ring, slots, tail, used, last_write, now, window)

  -- What does not take only writes the units of the future anew, and forgets none.
  local total, added, first, forgotten = used - expired, used - kept, expired, 0
  local allowed = total + cost <= limit and 1 or 0
  if operation == 'charge' or (allowed == 1 and operation == 'consume') then
    if allowed == 0 then
      -- Only the newest units up to the limit can matter: a charge beyond it pushes the oldest out.
      cost = math.min(cost, limit)
      first = math.max(first, used + cost - limit)
    end
    if first > kept then
      kept = first
    end
    forgotten, added, newest = first, used - kept + cost, now
    total = kept - first + added
  end
  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  local retry_after, reset_after = wait_times(
    asked, limit, window, now, key, ring, slots, tail, expired, oldest, kept, newest, first, total
  )

  -- Also where only the key has to be kept for longer, because the window is longer than it was.
  if added > 0 or total > 0 and expires * 1000 < newest + window then
    write(key, ring, slots, tail, used, forgotten, kept, added, newest, expires, limit, window, now, ttl)
  end
  return allowed, total < limit and limit - total or 0, retry_after, reset_after
end
