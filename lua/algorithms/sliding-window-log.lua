-- Sliding window log: the time of every unit in the trailing window. Exact: no trailing window ever holds more
-- than the limit, and a unit comes back the microsecond it leaves the window.
--
-- State    string of big-endian numbers; a time takes 7 bytes, which hold microseconds until the year 4253:
--            0   when the key expires, in milliseconds   7 bytes
--            7   pages of the ring, of 8 slots each      2 bytes
--            9   tail, the slot of the oldest unit       3 bytes
--            12  used, the units from the tail on        3 bytes
--            15  time of the newest unit                 7 bytes
--            22  a copy of the tail's page: which units have left is mostly read with the header
--            78  the ring; one of a single page is at 22 itself
--          The ring grows with what it holds, so that a key costs little more than its units.
-- limit    at most 2^17, for the length of the ring
-- window   length in microseconds
--
-- Numbers are taken apart and put together in place, by bytes named in their order in the header: a call of a Lua
-- function, and a closure even more, would cost more than the arithmetic in it.
local function sliding_window_log(key, now, operation, cost, limit, window, _, ttl)
  local header = redis.pcall('GETRANGE', key, '0', '77')
  -- Nothing there, or nothing of ours: an error is a table without a length.
  if #header ~= 78 then
    header = string.rep('\0', 78)
  end
  local a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v = string.byte(header, 1, 22)
  local slots, tail, used = 8 * (h * 256 + i), (j * 256 + k) * 256 + l, (m * 256 + n) * 256 + o
  local newest = (((((p * 256 + q) * 256 + r) * 256 + s) * 256 + t) * 256 + u) * 256 + v
  if slots > 131072 or tail >= slots or used > slots then
    slots, tail, used = 8, 0, 0
  end
  local ring = slots > 8 and 78 or 22

  -- The first `left` units have left the window, and those from `kept` on have to be written anew.
  local left, kept, oldest = 0, used, nil
  if used > 0 then
    -- The clock went back: units of a time to come were taken now at the latest, and stay for a window from now.
    local ahead = newest > now
    if ahead then
      newest = now
    end
    local time = now - window
    if newest <= time then
      left = used
    else
      local from = 16 + tail % 8 * 7
      left = -1
      repeat
        left, from = left + 1, from + 7
        local a, b, c, d, e, f, g = string.byte(header, from, from + 6)
        oldest = (((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f) * 256 + g
      until oldest > time or from == 72
      if ahead or oldest <= time or left >= used then
        -- The first unit later than a time, and its time: by doubling steps and then by halving, where the unit
        -- `left` is not and the newest is.
        local function first_after(time, left)
          local first, right, found = left, used - 1, newest
          while right - left > 1 do
            local probe = math.min(2 * left - first + 1, math.floor((left + right) / 2))
            local unit = redis.call('BITFIELD_RO', key, 'GET', 'u56', 8 * ring + 56 * ((tail + probe) % slots))[1]
            if unit <= time then
              left = probe
            else
              right, found = probe, unit
            end
          end
          return right, found
        end
        if ahead then
          kept = first_after(newest, -1)
        end
        if oldest <= time or left >= used then
          left, oldest = first_after(time, left)
        end
      end
    end
  end

  local total, count, gone, seen = used - left, used - kept, 0, left
  local allowed = total + cost <= limit and 1 or 0
  if operation == 'charge' or (allowed == 1 and operation == 'consume') then
    if allowed == 0 then
      -- Only the newest units up to the limit can matter: a charge beyond it pushes the oldest out.
      cost = math.min(cost, limit)
      left = math.max(left, used + cost - limit)
    end
    if left > kept then
      kept = left
    end
    gone, count, newest = left, used - kept + cost, now
    total = kept - left + count
  end
  if operation == 'charge' then
    cost = 1
  end

  local retry_after, reset_after = 0, 0
  if total > 0 then
    local index = left + total + cost - limit - 1
    if index >= left then
      if index >= kept then
        oldest = newest
      elseif index > seen then
        oldest = redis.call('BITFIELD_RO', key, 'GET', 'u56', 8 * ring + 56 * ((tail + index) % slots))[1]
      end
      -- Times that are out of order were planted: no wait is longer than the newest unit's, and none is negative.
      if oldest > newest then
        oldest = newest
      elseif oldest <= now - window then
        oldest = now - window + 1
      end
      retry_after = oldest + window - now
    end
    reset_after = newest + window - now
  end

  -- Writes `count` units of this time after those kept, and forgets those gone; none where only the key has to be kept
  -- for longer, because the window is longer than it was.
  local expires = (((((a * 256 + b) * 256 + c) * 256 + d) * 256 + e) * 256 + f) * 256 + g
  if count > 0 or total > 0 and expires * 1000 < newest + window then
    local size, start, slot, units = kept - gone + count, (tail + gone) % slots, (tail + kept) % slots, ''
    local whole = size > slots or gone == used
    if whole then
      if gone < used then
        units = redis.call('GETRANGE', key, ring, '-1')
        units = units .. string.rep('\0', 7 * slots - #units)
        units = string.sub(units, 7 * start + 1, 7 * slots) .. string.sub(units, 1, 7 * start)
        units = string.sub(units, 1, 7 * (kept - gone))
      end
      -- An eighth more than it holds: enough that growing costs little per unit, little enough not to be seen.
      start, slots = 0, 8 * math.ceil(math.max(size, math.min(limit, 16 + size + math.floor(size / 8))) / 8)
    end

    local l, o, v = start % 256, size % 256, newest % 256
    local j, m, p = (start - l) / 256, (size - o) / 256, (newest - v) / 256
    local k, n, u = j % 256, m % 256, p % 256
    p = (p - u) / 256
    local t = p % 256
    p = (p - t) / 256
    local s = p % 256
    p = (p - s) / 256
    local r = p % 256
    p = (p - r) / 256
    local q = p % 256
    local fields = string.char((j - k) / 256, k, l, (m - n) / 256, n, o, (p - q) / 256, q, r, s, t, u, v)
    local added = string.sub(fields, 7)
    if count ~= 1 then
      added = string.rep(added, count)
    end

    if whole then
      units = units .. added .. string.rep('\0', 7 * (slots - size))
    else
      local page, room = start - start % 8, 7 * (slots - slot)
      if #added > room then
        redis.call('SETRANGE', key, ring, string.sub(added, room + 1))
        added = string.sub(added, 1, room)
      end
      redis.call('SETRANGE', key, ring + 7 * slot, added)
      if slots > 8 and (page ~= tail - tail % 8 or page == slot - slot % 8) then
        fields = fields .. redis.call('GETRANGE', key, ring + 7 * page, ring + 7 * page + 55)
      end
    end
    if whole or expires * 1000 <= newest + window then
      -- Ahead of time, so that it is renewed once per window and not with every unit.
      expires = math.floor(now / 1000) + ttl
      fields = string.char(math.floor(slots / 2048), slots / 8 % 256) .. fields
      for _ = 1, 7 do
        fields = string.char(expires % 256) .. fields
        expires = math.floor(expires / 256)
      end
      if whole then
        redis.call('SET', key, fields .. (slots > 8 and string.sub(units, 1, 56) or '') .. units, 'PX', ttl)
      else
        redis.call('SETRANGE', key, '0', fields)
        redis.call('PEXPIRE', key, ttl)
      end
    else
      redis.call('SETRANGE', key, '9', fields)
    end
  end
  return allowed, total < limit and limit - total or 0, retry_after, reset_after
end
