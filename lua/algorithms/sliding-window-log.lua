-- Sliding window log: the time of every unit taken in the trailing window. Exact: no trailing window ever holds more
-- than the limit, and a unit comes back in the microsecond in which it leaves the window.
--
-- State   a string of big-endian numbers, a header and a ring of slots:
--           byte  size
--           0     7     expires: when the key expires, in milliseconds
--           7     2     pages: length of the ring, in pages of 8 slots
--           9     3     tail: the slot of the oldest unit; and 2^23 more if a charge has pushed units out since a unit
--                       last left the window
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
-- Most requests read only the header: its copy of the tail's page shows which units have left the window, and `newest`
-- shows when all will have left. Taking a unit writes one slot and part of the header. The ring grows with the units in
-- it, so that a key takes little more than 7 bytes per unit.
--
-- The functions are the steps of a request, in order: read the header, find the units in the window, decide (that is in
-- the last function, which calls the others), compute the waits, write.

-- Reads the state; a missing or foreign value is an empty ring.
-- @inline
local function read_header(key)
  local header = redis.pcall('GETRANGE', key, '0', '77')
  -- An error is a table without a length.
  if #header ~= 78 then
    header = string.rep('\0', 78)
  end
  local expires, pages, tail, used, newest = struct.unpack('>I7 I2 I3 I3 I7', header, 1)
  local slots, pushed = 8 * pages, 0
  if tail >= 8388608 then
    tail, pushed = tail - 8388608, 8388608
  end
  if slots > 131072 or tail >= slots or used > slots then
    slots, tail, used = 8, 0, 0
  end
  return header, expires, slots, tail, pushed, used, newest
end

-- Reads the time of a unit from the ring, which starts at byte `ring`.
-- @inline
local function time_of(unit, key, ring, slots, tail)
  return redis.call('BITFIELD_RO', key, 'GET', 'u56', 8 * ring + 56 * ((tail + unit) % slots))[1]
end

-- Finds the units that have left the window, and the units of the future, which exist after the clock went back. A unit
-- of the future was taken now at the latest, so it counts as taken now and stays for one window.
-- Returns
--   expired  how many units have left the window, which is the number of the first unit that has not
--   oldest   the time of that unit; nil if there is none
--   kept     how many units are not of the future, which is the number of the first unit of the future
--   newest   the time of the newest unit; now if that was in the future
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
      -- Look through the copy of the tail's page, from the tail up to the page's last slot. Lua counts bytes from 1, so
      -- the first slot of the page is at 23 and the last one at 72.
      local at = 16 + tail % 8 * 7
      expired = -1
      repeat
        expired, at = expired + 1, at + 7
        oldest = struct.unpack('>I7', header, at)
      until oldest > start or at == 72
      if future or oldest <= start or expired >= used then
        -- Finds the first unit later than a time, and its time. Unit `before` is known not to be later, the newest unit is
        -- known to be. The steps double before they halve, because mostly few units leave at once.
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

-- Computes how long until `asked` units fit, and how long until all units have left. Unit `first` is the oldest that
-- counts, and `total` units count.
-- @inline
local function wait_times(
  key, ring, slots, tail, expired, oldest, kept, newest, first, total, asked, limit, window, now
)
  local retry_after, reset_after = 0, 0
  if total > 0 then
    -- The units asked for fit once this unit has left.
    local last = first + total + asked - limit - 1
    if last >= first then
      if last >= kept then
        oldest = newest
      elseif last > expired then
        oldest = time_of(last, key, ring, slots, tail)
      end
      -- In a foreign value times may be out of order: no wait is longer than for the newest unit, or negative.
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

-- Reads `count` slots from slot `start` on as one string: the ring unrolled.
-- @inline
local function unroll(key, ring, slots, start, count)
  local units = redis.call('GETRANGE', key, ring, '-1')
  units = units .. string.rep('\0', 7 * slots - #units)
  units = string.sub(units, 7 * start + 1, 7 * slots) .. string.sub(units, 1, 7 * start)
  units = string.sub(units, 1, 7 * count)
  return units
end

-- Drops the units before `first`, keeps those from `first` to before `kept`, and writes `added` units of the time `newest`
-- after them.
-- A ring that is too short or keeps no unit is written as a whole, at a new length.
-- @inline
local function write(
  key, ring, slots, tail, pushed, used, first, kept, added, newest, expires, limit, window, now, ttl
)
  local size, start, slot, units = kept - first + added, (tail + first) % slots, (tail + kept) % slots, ''
  local rewrite = size > slots or first == used
  if rewrite then
    if first < used then
      local count = kept - first
      units = unroll(key, ring, slots, start, count)
    end
    -- Room for an eighth more units: enough that growing costs little per unit, and few bytes.
    start, slots = 0, 8 * math.ceil(math.max(size, math.min(limit, 16 + size + math.floor(size / 8))) / 8)
  end

  local marked = start + pushed
  local fields = struct.pack('>I3 I3 I7', marked, size, newest)
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
    -- Renew the copy if the tail is in another page now, or the first unit written is in the tail's page.
    if slots > 8 and (page ~= tail - tail % 8 or page == slot - slot % 8) then
      fields = fields .. redis.call('GETRANGE', key, ring + 7 * page, ring + 7 * page + 55)
    end
  end
  if rewrite or expires * 1000 <= newest + window then
    -- The ttl is two windows, so that the expiry is renewed once per window and not with every unit.
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
  local header, expires, slots, tail, pushed, used, stored_newest = read_header(key)
  local ring = slots > 8 and 78 or 22
  local expired, oldest, kept, newest = find_window(key, header, ring, slots, tail, used, stored_newest, now, window)

  -- A request that takes nothing drops no unit; it only writes the units of the future again, with the time now.
  local total, added, first, dropped = used - expired, used - kept, expired, 0
  local allowed = total + cost <= limit and 1 or 0
  if operation == 'charge' or (allowed == 1 and operation == 'consume') then
    if allowed == 0 then
      -- Only the newest units up to the limit matter: a charge beyond it pushes the oldest out. Units taken under a higher
      -- limit, which may come back, keep their number.
      cost = math.min(cost, limit)
      first = math.max(first, used + cost - math.max(limit, total))
      pushed = 8388608
    elseif expired > 0 then
      -- What was pushed out was older than the unit that has left.
      pushed = 0
    end
    if first > kept then
      kept = first
    end
    dropped, added, newest = first, used - kept + cost, now
    total = kept - first + added
  end
  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  local retry_after, reset_after = wait_times(
    key, ring, slots, tail, expired, oldest, kept, newest, first, total, asked, limit, window, now
  )

  -- A request that takes nothing also writes if the window has become so long that the key would expire too early.
  if added > 0 or total > 0 and expires * 1000 < newest + window then
    write(key, ring, slots, tail, pushed, used, dropped, kept, added, newest, expires, limit, window, now, ttl)
  end
  return allowed, total < limit and limit - total or 0, retry_after, reset_after
end

-- Gives back units of exactly the moment at which they were taken; those taken later move into their place. A charge
-- beyond the limit pushes units out that are still in the window, and leaves a full log. So while a log is full that units
-- were pushed out of, only its newest units come back: nothing was charged after them.
-- Returns how many units came back.
-- @inline
local function sliding_window_log_refund(key, now, taken_at, cost, limit, window)
  local header, expires, slots, tail, pushed, used, newest = read_header(key)
  local ring = slots > 8 and 78 or 22
  local given, start = 0, now - window
  local certain = used > 0 and taken_at > start and taken_at <= newest
  if certain and pushed > 0 and used >= limit and taken_at < newest then
    local unit = used - limit
    local oldest = time_of(unit, key, ring, slots, tail)
    certain = oldest <= start
  end
  if certain then
    -- Finds the first unit that is not earlier than a time.
    local function first_from(time)
      local left, right = 0, used
      while left < right do
        local middle = math.floor((left + right) / 2)
        local probed = time_of(middle, key, ring, slots, tail)
        if probed < time then
          left = middle + 1
        else
          right = middle
        end
      end
      return left
    end
    local first, after = first_from(taken_at), first_from(taken_at + 1)
    given = math.min(cost, after - first)
    if given > 0 then
      local later = used - after
      if later > 0 then
        local from, to = (tail + after) % slots, (tail + after - given) % slots
        local units = redis.call('GETRANGE', key, ring + 7 * from, ring + 7 * math.min(from + later, slots) - 1)
        if from + later > slots then
          units = units .. redis.call('GETRANGE', key, ring, ring + 7 * (from + later - slots) - 1)
        end
        local room = 7 * (slots - to)
        redis.call('SETRANGE', key, ring + 7 * to, string.sub(units, 1, room))
        redis.call('SETRANGE', key, ring, string.sub(units, room + 1))
      end
      used = used - given
      if later == 0 then
        newest = 0
        if used > 0 then
          local unit = used - 1
          newest = time_of(unit, key, ring, slots, tail)
        end
      end
      local fields = struct.pack('>I3 I7', used, newest)
      if slots > 8 then
        local page = ring + 7 * (tail - tail % 8)
        fields = fields .. redis.call('GETRANGE', key, page, page + 55)
      end
      redis.call('SETRANGE', key, 12, fields)
    end
  end
  return given
end
