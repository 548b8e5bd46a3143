-- Sliding window log: the time of every unit taken in the trailing window. Exact: no trailing window ever holds more
-- than the limit, and a unit comes back in the microsecond in which it leaves the window.
--
-- State   a string of big-endian numbers, a header and a ring of slots:
--           byte  size
--           0     6     when the next renewal is due, in milliseconds
--           6     2     length of the ring, in pages of 8 slots
--           8     3     tail: the slot of the oldest unit
--           11    3     how many units the ring holds, in the slots from the tail on
--           14    7     time of the newest unit
--           21    35    settings, in hexadecimal digits: longest, largest, asking, pushed
--           56    56    a copy of the tail's page
--           112   56    the first page, then the others; a ring of one page starts at 56 and has no copy
--         A slot is the time of one unit in 7 bytes: microseconds until the year 4253. After the last slot comes the
--         first. A unit is named by its distance from the tail: unit 0 is the oldest.
-- @arguments window, unused, setting
-- limit    at most 2^17, the longest ring that the header can describe
-- window   length in microseconds
-- setting  the field `settings` of a log that only this policy has asked
--
-- Several settings may be alive at once. Each decides by its own limit and window, and the ring keeps the units that
-- the longest window still holds. Beyond the largest limit, new units push out the oldest ones. Those count for as long
-- as the oldest unit that is left does, which was taken after them.
--   longest  12 digits: the longest window of the settings that are alive
--   largest   5 digits: the largest limit since the ring was empty
--   asking   12 digits: the longest window of the settings that have asked since the last renewal
--   pushed    6 digits: how many units were pushed out
-- A setting that asks is alive for the longest window at least, because a renewal forgets only those that have not asked
-- since the one before. The renewal also moves the key's expiry, so that this costs a command once per window and not
-- with every unit.
--
-- Most requests read only the header: its copy of the tail's page shows which units have left the window, and the time
-- of the newest shows when all will have left. Taking a unit writes one slot and part of the header. The ring grows with
-- the units in it, so that a key takes little more than 7 bytes per unit.

-- Reads the state; a missing or foreign value is an empty ring.
-- @inline
local function read_header(key)
  local header = redis.pcall('GETRANGE', key, '0', '111')
  -- An error is a table without a length.
  if #header ~= 112 then
    header = string.rep('\0', 112)
  end
  local renewal, pages, tail, used, newest = struct.unpack('>I6 I2 I3 I3 I7', header, 1)
  local slots, settings = 8 * pages, string.sub(header, 22, 56)
  if slots > 131072 or tail >= slots or used > slots then
    slots, tail, used, settings = 8, 0, 0, ''
  end
  return header, renewal, slots, tail, used, newest, settings
end

-- Reads the settings; `longest` is nil if something else has written them. No window is longer than 2^45 microseconds, 407
-- days.
-- @inline
local function read_settings(settings)
  local longest, largest = tonumber(string.sub(settings, 1, 12), 16), tonumber(string.sub(settings, 13, 17), 16)
  local asking, pushed = tonumber(string.sub(settings, 18, 29), 16), tonumber(string.sub(settings, 30), 16)
  if longest and not (longest <= 35184372088832 and largest and asking and pushed) then
    longest = nil
  end
  return longest, largest, asking, pushed
end

-- Reads the time of a unit from the ring, which starts at byte `ring`.
-- @inline
local function time_of(unit, key, ring, slots, tail)
  return redis.call('BITFIELD_RO', key, 'GET', 'u56', 8 * ring + 56 * ((tail + unit) % slots))[1]
end

-- Finds the units that have left the window, and the units of the future, which exist after the clock went back. A unit
-- of the future was taken now at the latest, so it counts as taken now and stays for one window.
-- Returns
--   first   the number of the first unit that is in the window; `used` if none is
--   oldest  the time of that unit; nil if there is none
--   kept    the number of the first unit of the future; `used` if none is
--   newest  the time of the newest unit; now if that was in the future
-- @inline
local function find_window(key, header, ring, slots, tail, used, newest, now, window)
  local first, oldest, kept = 0, nil, used
  if used > 0 then
    local future = newest > now
    if future then
      newest = now
    end
    local start = now - window
    if newest <= start then
      first = used
    else
      -- Look through the copy of the tail's page, from the tail up to the page's last slot. Lua counts bytes from 1, so
      -- the first slot of the page is at 57 and the last one at 106.
      local at = 50 + tail % 8 * 7
      first = -1
      repeat
        first, at = first + 1, at + 7
        oldest = struct.unpack('>I7', header, at)
      until oldest > start or at == 106
      if future or oldest <= start or first >= used then
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
        if oldest <= start or first >= used then
          first, oldest = first_after(start, first)
        end
      end
    end
  end
  return first, oldest, kept, newest
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

-- @inline
local function sliding_window_log(key, now, operation, cost, limit, window, setting)
  local header, renewal, slots, tail, used, stored_newest, settings = read_header(key)
  local longest, largest, asking, pushed = window, limit, window, 0
  if settings ~= setting then
    longest, largest, asking, pushed = read_settings(settings)
    if not longest then
      slots, tail, used = 8, 0, 0
      longest, largest, asking = window, limit, window
    end
    if used == 0 then
      pushed = 0
    end
  end

  local ring = slots > 8 and 112 or 56
  local stored_first, oldest, kept, newest =
    find_window(key, header, ring, slots, tail, used, stored_newest, now, window)
  -- Units that were pushed out count with unit 0.
  local first, beside = stored_first, 0
  if first == 0 then
    beside = pushed
  end
  local total = used - first + beside
  local allowed = total + cost <= limit and 1 or 0
  local takes = operation == 'charge' or allowed == 1 and operation == 'consume'

  -- Which settings are alive. A request that takes nothing keeps its own alive, too, unless it is a peek.
  -- A renewal that lies further ahead than any does was written before the clock went back.
  local due = takes and (renewal * 1000 <= now or renewal * 1000 > now + 2 * longest)
  local joins, renews = operation ~= 'peek' and (window > asking or limit > largest), due
  if joins or due then
    if used > 0 and newest > now - math.max(longest, window) then
      renews = due or window > longest
      if due then
        longest, asking = asking, 0
      end
      longest, largest, asking = math.max(longest, window), math.max(largest, limit), math.max(asking, window)
    else
      -- No earlier unit counts for any setting.
      longest, largest, asking, joins, renews = window, limit, window, false, true
    end
    if renews then
      renewal = math.floor(now / 1000) + math.ceil(longest / 1000) + 1
    end
  end

  -- The units it takes, and those it drops. A request that takes nothing only writes the units of the future again, with
  -- the time now.
  local dropped, added = 0, used - kept
  if takes then
    dropped = first
    if longest > window then
      -- The first unit that the longest window still holds.
      local left, start = -1, now - longest
      while dropped - left > 1 do
        local probe = math.min(2 * left + 2, math.floor((left + dropped) / 2))
        local probed = time_of(probe, key, ring, slots, tail)
        if probed <= start then
          left = probe
        else
          dropped = probe
        end
      end
    end
    if dropped > 0 then
      pushed = 0
    end
    if cost > limit then
      -- Only the newest units up to the limit matter of a charge.
      cost = limit
    end
    if used - dropped + cost > largest then
      local pushing = used - dropped + cost - largest
      dropped, pushed = dropped + pushing, math.min(pushed + pushing, 16777215)
      first, kept = math.max(first, dropped), math.max(kept, dropped)
    end
    added, newest = used - kept + cost, now
    beside = first == dropped and pushed or 0
    total = used - first + cost + beside
    -- After a charge, the wait is for one more unit.
    cost = operation == 'charge' and 1 or cost
  end

  local retry_after, reset_after = 0, 0
  if total > 0 then
    if total + cost > limit then
      -- The units asked for fit once this unit has left; with the oldest one, those leave that were pushed out.
      local last = first + math.max(0, total + cost - limit - 1 - beside)
      if last >= kept then
        oldest = newest
      elseif last > stored_first then
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

  if added > 0 or joins then
    local size, start, slot, units = kept - dropped + added, (tail + dropped) % slots, (tail + kept) % slots, ''
    -- A ring that is too short or keeps no unit is written as a whole, at a new length.
    local rewrite = size > slots or dropped == used
    if rewrite then
      if dropped < used then
        local count = kept - dropped
        units = unroll(key, ring, slots, start, count)
      end
      -- Room for an eighth more units: enough that growing costs little per unit, and few bytes.
      start, slots = 0, 8 * math.ceil(math.max(size, math.min(largest, 16 + size + math.floor(size / 8))) / 8)
    end

    local fields = struct.pack('>I3 I3 I7', start, size, newest)
    local times, copy = string.sub(fields, 7), ''
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
        copy = redis.call('GETRANGE', key, ring + 7 * page, ring + 7 * page + 55)
      end
    end
    if pushed > 0 or longest ~= window or asking ~= window or largest ~= limit then
      setting = string.format('%012x%05x%012x%06x', longest, largest, asking, pushed)
    end
    if rewrite or renews or setting ~= settings then
      local pages = slots / 8
      -- Until the renewal, and then for as long as the longest window holds the last units.
      local expiry = renewal + math.ceil(longest / 1000) + 1
      fields = struct.pack('>I6 I2', renewal, pages) .. fields .. setting
      if rewrite then
        redis.call('SET', key, fields .. (slots > 8 and string.sub(units, 1, 56) or '') .. units, 'PXAT', expiry)
      else
        redis.call('SETRANGE', key, '0', fields .. copy)
        if renews then
          redis.call('PEXPIREAT', key, expiry)
        end
      end
    elseif copy ~= '' then
      redis.call('SETRANGE', key, '8', fields .. setting .. copy)
    else
      redis.call('SETRANGE', key, '8', fields)
    end
  end
  return allowed, total < limit and limit - total or 0, retry_after, reset_after
end

-- Gives back units of exactly the moment at which they were taken; those taken later move into their place. The oldest
-- unit stays while those that were pushed out count with it.
-- Returns how many units came back.
-- @inline
local function sliding_window_log_refund(key, now, taken_at, cost)
  local header, renewal, slots, tail, used, newest, settings = read_header(key)
  local ring = slots > 8 and 112 or 56
  local longest, largest, asking, pushed = read_settings(settings)
  local refunded = 0
  if longest and used > 0 and taken_at > now - longest and taken_at <= newest then
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
    if pushed > 0 then
      first = math.max(first, 1)
    end
    refunded = math.max(0, math.min(cost, after - first))
    if refunded > 0 then
      local later = used - after
      if later > 0 then
        local from, to = (tail + after) % slots, (tail + after - refunded) % slots
        local units = redis.call('GETRANGE', key, ring + 7 * from, ring + 7 * math.min(from + later, slots) - 1)
        if from + later > slots then
          units = units .. redis.call('GETRANGE', key, ring, ring + 7 * (from + later - slots) - 1)
        end
        local room = 7 * (slots - to)
        redis.call('SETRANGE', key, ring + 7 * to, string.sub(units, 1, room))
        redis.call('SETRANGE', key, ring, string.sub(units, room + 1))
      end
      used = used - refunded
      if later == 0 and used > 0 then
        local unit = used - 1
        newest = time_of(unit, key, ring, slots, tail)
      end
      local fields = struct.pack('>I3 I7', used, newest)
      if slots > 8 then
        local page = ring + 7 * (tail - tail % 8)
        fields = fields .. settings .. redis.call('GETRANGE', key, page, page + 55)
      end
      redis.call('SETRANGE', key, 11, fields)
    end
  end
  return refunded
end
