-- Sliding window log: the time of every unit in the trailing window. Exact: no trailing window ever holds more
-- than the limit, and a unit comes back the microsecond it leaves the window.
--
-- State    string of 56-bit big-endian numbers (7 bytes hold microseconds until the year 4253):
--            [0] slots * 2^34 + tail * 2^17 + used    [1] when the key expires, in milliseconds
--            [2 ..] a ring of that many slots; the `used` units from `tail` on, oldest first, are their times
--          The ring grows with what it holds, so that a key costs little more than its units.
-- limit    at most 2^17 - 1, for the packed header
-- window   length in microseconds
local function sliding_window_log(key, now, operation, cost, limit, window, _, ttl)
  local slots, tail, used, expires = 0, 0, 0, 0
  local header = redis.pcall('BITFIELD_RO', key, 'GET', 'u56', '0', 'GET', 'u56', '56')
  if header[1] and header[1] > 0 then
    used = header[1] % 131072
    tail = (header[1] - used) / 131072 % 131072
    slots = math.floor(header[1] / 17179869184)
    expires = header[2]
    if slots > 131072 or tail >= slots or used > slots then
      slots, tail, used = 0, 0, 0
    end
  end

  -- The position in bits of the unit that is `age` places younger than the oldest.
  local function position(age)
    return 56 * (2 + (tail + age) % slots)
  end

  local function bytes(number)
    local text = ''
    for _ = 1, 7 do
      text = string.char(number % 256) .. text
      number = math.floor(number / 256)
    end
    return text
  end

  -- Writes the whole value anew, with the units `kept` (their bytes) before `count` units of time `at`.
  local function rewrite(kept, at, count)
    used, tail = #kept / 7 + count, 0
    -- An eighth more than it holds: enough that growing costs little per unit, little enough not to be seen.
    slots = math.max(used, math.min(limit, 16 + used + math.floor(used / 8)))
    expires = math.floor(now / 1000) + ttl
    redis.call('SET', key,
      bytes((slots * 131072 + tail) * 131072 + used) .. bytes(expires)
        .. kept .. string.rep(bytes(at), count) .. string.rep('\0', 7 * (slots - used)),
      'PX', ttl)
  end

  -- The bytes of the oldest units.
  local function oldest_units(count)
    local ring = string.sub(redis.call('GET', key), 15)
    return string.sub(string.sub(ring, 7 * tail + 1) .. string.sub(ring, 1, 7 * tail), 1, 7 * count)
  end

  -- The first unit later than a time, by doubling steps and then by halving, where the oldest is not and the newest
  -- is: its place behind the oldest, and its time.
  local function first_after(time, newest)
    local left, right, found, step = 0, used - 1, newest, 1
    while right - left > 1 do
      local probe = math.min(left + step, right - 1)
      local unit = redis.call('BITFIELD_RO', key, 'GET', 'u56', position(probe))[1]
      if unit <= time then
        left, step = probe, step * 2
      else
        right, step, found = probe, math.max(1, math.floor((probe - left) / 2)), unit
      end
    end
    return right, found
  end

  -- The clock may have gone back: units are never logged earlier than those before them.
  local at, oldest, newest = now, nil, nil
  if used > 0 then
    local ends = redis.call('BITFIELD_RO', key, 'GET', 'u56', position(0), 'GET', 'u56', position(used - 1))
    oldest, newest = ends[1], ends[2]
    if newest - now > window then
      -- By more than a window: keep the units for one window, not until the clock catches up. Never for less than
      -- was told of them already.
      local kept = oldest > now + window and 0 or first_after(now + window, newest)
      oldest, newest = math.min(oldest, now + window), now + window
      rewrite(oldest_units(kept), newest, used - kept)
    end
    if newest > now then
      at = newest
    elseif newest <= now - window then
      used = 0
    end
    if used > 0 and oldest <= at - window then
      local left
      left, oldest = first_after(at - window, newest)
      tail, used = (tail + left) % slots, used - left
    end
  end

  local allowed = used + cost <= limit and 1 or 0
  if operation == 'charge' or (allowed == 1 and operation == 'consume') then
    -- Only the newest units up to the limit can matter: a charge beyond it pushes the oldest out.
    local count = math.min(cost, limit)
    local pushed = used + count - limit
    if pushed > 0 then
      tail, used = (tail + pushed) % slots, used - pushed
      if used > 0 then
        oldest = redis.call('BITFIELD_RO', key, 'GET', 'u56', position(0))[1]
      end
    end
    if used == 0 then
      oldest = at
    end
    newest = at
    -- So many at once are cheaper to write whole, and more than one command can take as arguments.
    if used + count > slots or used == 0 or count > 1000 then
      rewrite(used > 0 and oldest_units(used) or '', at, count)
    else
      local write = { 'BITFIELD', key }
      local function set(offset, number)
        local last = #write
        write[last + 1], write[last + 2], write[last + 3], write[last + 4] = 'SET', 'u56', offset, number
      end
      local time = string.format('%.0f', at)
      for unit = used, used + count - 1 do
        set(position(unit), time)
      end
      used = used + count
      set('0', string.format('%.0f', (slots * 131072 + tail) * 131072 + used))
      if expires * 1000 <= at + window then
        -- Ahead of time, so that it is renewed once per window and not with every unit.
        set('56', string.format('%.0f', math.floor(now / 1000) + ttl))
        redis.call('PEXPIRE', key, ttl)
      end
      redis.call(unpack(write))
    end
  end
  if operation == 'charge' then
    cost = 1
  end

  local retry_after, reset_after = 0, 0
  if used > 0 then
    if used + cost > limit then
      local leaves = oldest
      if used + cost - limit > 1 then
        leaves = redis.call('BITFIELD_RO', key, 'GET', 'u56', position(used + cost - limit - 1))[1]
      end
      -- Times that are out of order were planted: no wait is longer than the newest unit's, and none is negative.
      retry_after = math.max(math.min(leaves, newest), at - window + 1) + window - now
    end
    reset_after = newest + window - now
  end
  return allowed, used < limit and limit - used or 0, retry_after, reset_after
end
