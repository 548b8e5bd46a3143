-- Segmented window: the window in equal segments, each with a count of its own. The running segment and as many full
-- ones as the window has are summed unweighted, so no trailing window ever holds more than the limit.
--
-- State     a grid, a string of big-endian numbers, read faster than the fields of a hash:
--             byte  size
--             0     7     start of the newest segment, in microseconds
--             7     6     length of a segment
--             13    1     segments
--             14    4     count of the newest segment, then 4 bytes for each one before it, segments + 1 in all at most;
--                         2^31 more if a charge was cut off
--           While several settings are alive, their grids, at most four. Each counts every unit:
--             0     1     255, which no start begins with
--             1     7     until when the first setting is alive, in microseconds
--             8     1     how many counts its grid has
--             9           its grid; then the next one from its time on
-- @arguments length, segments
-- length    of a segment, in microseconds
-- segments  how many make the window
--
-- When the clock goes back before the start of the newest segment, or segments come that have no grid yet, the units that
-- still count become one segment. It ends at the latest moment at which any of them can have been taken, so they are
-- gone after one window at most. All of them count, also beyond a limit that is lower now: it may be raised again.
--
-- A setting stays alive for at least one window after its last request, and for at most two.

-- Finds the grid of a setting in a value that is not just this grid, or makes it of the one with the longest window.
-- Returns
--   own       the grid; nil if nothing counts in its window
--   others    the grids of the other settings that are alive, up to this moment, each as a table: until when the setting
--             is alive, until when it counts units taken now, its first 14 bytes, its counts
--   repaired  whether to write even if nothing is taken
-- @inline
local function find_grids(value, now, operation, length, segments)
  local own, others, repaired = nil, {}, false
  -- The units of a grid as one segment of another setting; nil if none counts there.
  local function fold(grid, to_length, to_segments)
    local start, stored_length, stored_segments = struct.unpack('>I7 I6 I1', grid, 1)
    local passed = start > now and 0 or math.floor((now - start) / stored_length)
    local used, ended, cut = 0, nil, 0
    for segment = 1, math.min(stored_segments + 1 - passed, math.floor((#grid - 14) / 4)) do
      local at = 4 * segment + 11
      local count = struct.unpack('>I4', grid, at)
      if count >= 2147483648 then
        count, cut = count - 2147483648, 2147483648
      end
      if not ended and count > 0 then
        ended = math.min(now, start - (segment - 2) * stored_length)
      end
      used = used + count
    end
    if ended and now - ended < to_length * to_segments then
      if used >= 2147483648 then
        used, cut = 2147483647, 2147483648
      end
      used = used + cut
      return struct.pack('>I7 I6 I1', ended, to_length, to_segments) .. '\0\0\0\0' .. struct.pack('>I4', used)
    end
  end

  local grids, several, at = {}, string.byte(value) == 255, 2
  if not several then
    at = -7
  end
  while at + 25 <= #value and #grids < 4 do
    local alive, size = 2 ^ 56, math.floor((#value - 14) / 4)
    if several then
      alive, size = struct.unpack('>I7 I1', value, at)
    end
    local grid = string.sub(value, at + 8, at + 21 + 4 * size)
    if #grid < 18 then
      break
    end
    local start, stored_length, stored_segments = struct.unpack('>I7 I6 I1', grid, 1)
    local span = stored_length * stored_segments
    -- Else another program has written it: no window is longer than 2^45 microseconds, 407 days.
    if span > 0 and span <= 35184372088832 and stored_segments <= 60 then
      grids[#grids + 1] = { grid, math.min(alive, now + 2 * span), span, stored_length, stored_segments, start }
    end
    at = at + 22 + 4 * size
  end

  local same, source
  for _, each in ipairs(grids) do
    if each[4] == length and each[5] == segments then
      same = each
    end
    if not source or each[3] > source[3] then
      source = each
    end
  end
  source = same or source
  if same and same[6] <= now then
    own = same[1]
    repaired = several and operation ~= 'peek' and same[2] < now + same[3]
  elseif source then
    own = fold(source[1], length, segments)
    -- From a time to come, a peek repairs, too: else a wait would begin anew with each.
    repaired = own and (source[6] > now or operation ~= 'peek')
  end

  local first
  for _, each in ipairs(grids) do
    -- Units that only another setting counted keep it alive while any of them counts.
    local counts = several or fold(each[1], each[4], each[5])
    if each ~= same and counts and each[2] > now then
      local grid, _, _, stored_length, stored_segments, start = unpack(each)
      if start > now then
        grid, start = fold(grid, stored_length, stored_segments), 0
        if grid then
          start = struct.unpack('>I7', grid, 1)
        end
      end
      local passed = math.floor((now - start) / stored_length)
      if passed <= stored_segments then
        start = start + passed * stored_length
        grid = string.rep('\0', 4 * passed) .. string.sub(grid, 15, 14 + 4 * (stored_segments + 1 - passed))
      else
        start, grid = now - now % stored_length, '\0\0\0\0'
      end
      local header = struct.pack('>I7 I6 I1', start, stored_length, stored_segments)
      others[#others + 1] = { each[2], start + (stored_segments + 1) * stored_length, header, grid }
      if not first or each[2] < others[first][1] then
        first = #others
      end
    end
  end
  if #others == 4 then
    table.remove(others, first)
  end
  return own, others, repaired
end

-- The state of several settings: adds the units taken to the grids of the others. `expires` becomes the moment at which
-- the last grid ends, if that is later.
-- @inline
local function add_grids(bytes, others, now, taken, cut, size, length, segments, expires)
  if #others > 0 then
    local alive = now + 2 * length * segments
    bytes = '\255' .. struct.pack('>I7 I1', alive, size) .. bytes
    for _, other in ipairs(others) do
      local live, _, header, counts = unpack(other)
      local count = struct.unpack('>I4', counts, 1)
      local units = count % 2147483648 + taken
      if units >= 2147483648 then
        units, count = 2147483647, 2147483648
      end
      units = units + (count >= 2147483648 and 2147483648 or cut)
      local number = #counts / 4
      local newest = struct.pack('>I4', units)
      bytes = bytes .. struct.pack('>I7 I1', live, number) .. header .. newest .. string.sub(counts, 5)
      expires = math.max(expires, other[2])
    end
  end
  return bytes, expires
end

-- @inline
local function segmented_window(key, now, operation, cost, limit, length, segments)
  -- counts[1] is the running segment; newest is the first segment that has a count, nil if none has.
  local counts, used, newest, start = { 0 }, 0, nil, nil
  local value = redis.pcall('GET', key)
  -- repaired: write even if nothing is taken. others, cuts: nil where no other setting, no charge that was cut off is known.
  local passed, others, cuts
  local repaired = false
  if type(value) == 'string' and #value > 17 then
    local stored_length, stored_segments
    start, stored_length, stored_segments = struct.unpack('>I7 I6 I1', value, 1)
    if start > now or stored_length ~= length or stored_segments ~= segments then
      value, others, repaired = find_grids(value, now, operation, length, segments)
      start = nil
      if value then
        start = struct.unpack('>I7', value, 1)
      end
    end
    passed = start and math.floor((now - start) / length)
  end
  -- rewrite: more than the newest count changes.
  local rewrite = passed ~= 0 or others
  if passed and passed <= segments then
    start = start + passed * length
    for segment = 1, passed do
      counts[segment] = 0
    end
    for segment = passed + 1, math.min(segments + 1, passed + math.floor((#value - 14) / 4)) do
      local at = 4 * (segment - passed) + 11
      local count = struct.unpack('>I4', value, at)
      counts[segment], used = count, used + count
      if not newest and count > 0 then
        newest = segment
      end
    end
    if used >= 2147483648 then
      -- A charge of which no unit was left leaves its mark where no unit is.
      cuts, newest = {}, nil
      for segment, count in ipairs(counts) do
        if count >= 2147483648 then
          count, cuts[segment], used = count - 2147483648, 2147483648, used - 2147483648
          counts[segment] = count
        end
        if not newest and count > 0 then
          newest = segment
        end
      end
    end
  elseif others and #others > 0 then
    -- It has not counted the units taken before, and must not give them back.
    start = now
  else
    start = now - now % length
  end

  local allowed = used + cost <= limit and 1 or 0
  local takes = operation == 'charge' or (allowed == 1 and operation == 'consume')
  local taken, cut = 0, 0
  if takes then
    -- A count of more than twice the limit was taken under a higher one, which may come back.
    taken = math.min(counts[1] + cost, math.max(2 * limit, counts[1])) - counts[1]
    if taken < cost then
      cuts, cut = cuts or {}, 2147483648
      cuts[1] = cut
    end
    counts[1], used, newest = counts[1] + taken, used + taken, 1
  end
  if takes or repaired then
    local packed, size = {}, rewrite and #counts or 1
    for segment = 1, size do
      local count = counts[segment]
      if cuts then
        count = count + (cuts[segment] or 0)
      end
      packed[segment] = struct.pack('>I4', count)
    end
    if rewrite then
      local bytes = struct.pack('>I7 I6 I1', start, length, segments) .. table.concat(packed)
      local expires = start + (segments + 1) * length
      if others then
        bytes, expires = add_grids(bytes, others, now, taken, cut, size, length, segments, expires)
      end
      redis.call('SET', key, bytes, 'PXAT', math.floor(expires / 1000) + 1)
    else
      redis.call('SETRANGE', key, 14, packed[1])
    end
  end

  -- After a charge, the wait is for one more unit.
  local asked = operation == 'charge' and 1 or cost
  -- A segment leaves the sum when the one that is `segments` after it has ended.
  local retry_after, segment = 0, #counts
  local left = used
  while left + asked > limit do
    left = left - counts[segment]
    retry_after = start + (segments + 2 - segment) * length - now
    segment = segment - 1
  end
  return allowed,
    used < limit and limit - used or 0,
    retry_after,
    newest and start + (segments + 2 - newest) * length - now or 0
end

-- Gives back units of the segment in which they were taken, while it counts, in the grid of every setting that is alive,
-- and none if that of the setting is not there. Where a charge was cut off, the count without these units is
-- unknown: it stays.
-- Returns how many units came back.
-- @inline
local function segmented_window_refund(key, now, taken_at, cost, limit, length, segments)
  local refunded = 0
  local value = redis.pcall('GET', key)
  if type(value) == 'string' and #value > 17 then
    local several = string.byte(value) == 255
    local counts, at = {}, several and 9 or 0
    while at + 18 <= #value do
      local size = several and string.byte(value, at) or math.floor((#value - 14) / 4)
      local first = at + 1
      local start, stored_length, stored_segments = struct.unpack('>I7 I6 I1', value, first)
      -- How many segments before the newest one, and the byte of its count.
      local back = math.ceil((start - taken_at) / stored_length)
      local place, count = at + 14 + 4 * back, 0
      if start <= now and back >= 0 and back < size and place + 4 <= #value
        and now < start + (stored_segments + 1 - back) * stored_length
      then
        local byte = place + 1
        count = struct.unpack('>I4', value, byte)
      end
      if count > 0 and count < 2147483648 then
        counts[place] = count
        if stored_length == length and stored_segments == segments then
          refunded = math.min(cost, count)
        end
      end
      at = at + 22 + 4 * size
    end
    if refunded > 0 then
      for place, count in pairs(counts) do
        count = math.max(0, count - refunded)
        redis.call('SETRANGE', key, place, struct.pack('>I4', count))
      end
    end
  end
  return refunded
end
