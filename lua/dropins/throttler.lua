-- Counts a hit in the place of the storage of Nest's throttler: each hit counts for as long as its `ttl`, and a hit beyond the
-- limit blocks the client, whose hits are forgotten when that is over. A blocked hit counts nothing.
--
-- KEYS[1]  state
-- ARGV[4]  limit
-- ARGV[5]  ttl: how long a hit counts, in microseconds; 0 for not at all
-- ARGV[6]  block: how long a hit beyond the limit blocks, in microseconds; 0 to deny until there is room again
-- ARGV[7]  most: how many hits have an end of their own
-- ARGV[8]  grain: beyond those, hits whose ends fall into one grain of this many microseconds end together, with the last of them
--
-- Reply, integers only, times in microseconds: now; 1 if the hit was counted and is not blocked; limit less hits, of a denial
-- the limit less more hits than that; how long the next hit is certain to be denied; how long the ttl lasts that began with the
-- first hit after the one before had ended.
--
-- State    a string of big-endian numbers:
--            byte  size
--            0     7     time of this state
--            7     7     when the block ends; 0 without one
--            14    7     when the ttl ends that began with the first hit
--            21    7     hits that count
--            28    11    when some hits end (7), and how many (4); then the next ones, the earliest first
--
-- When the clock goes back, all these times go back with it.

local key = KEYS[1]
local limit, ttl, block = ARGV[4] + 0, ARGV[5] + 0, ARGV[6] + 0
local most, grain = ARGV[7] + 0, ARGV[8] + 0
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local blocked_until, ttl_ends, hits, runs = 0, 0, 0, ''
local changes = false
local value = redis.pcall('GET', key)
if type(value) == 'string' and #value >= 28 and (#value - 28) % 11 == 0 then
  local seen
  seen, blocked_until, ttl_ends, hits = struct.unpack('>I7 I7 I7 I7', value, 1)
  runs = string.sub(value, 29)
  if math.max(seen, blocked_until, ttl_ends, hits) > 9007199254740991 then
    -- Something else has written it.
    blocked_until, ttl_ends, hits, runs = 0, 0, 0, ''
  elseif now < seen then
    changes = true
    local back, moved = seen - now, {}
    for at = 1, #runs, 11 do
      local run_ends, count = struct.unpack('>I7 I4', runs, at)
      run_ends = run_ends - back
      moved[#moved + 1] = struct.pack('>I7 I4', run_ends, count)
    end
    runs = table.concat(moved)
    blocked_until, ttl_ends = math.max(0, blocked_until - back), ttl_ends - back
  end
end

-- The runs that are over.
local live = 1
while live < #runs do
  local run_ends, count = struct.unpack('>I7 I4', runs, live)
  if run_ends > now then
    break
  end
  hits, live = math.max(0, hits - count), live + 11
end
runs = string.sub(runs, live)

if ttl_ends <= now then
  ttl_ends, changes = now + ttl, true
end
local is_blocked = block > 0 and blocked_until > now
if blocked_until > 0 and blocked_until <= now then
  blocked_until, hits, runs, changes = 0, 0, '', true
end

local counts = not is_blocked and (block > 0 or hits < limit)
if counts then
  hits, changes = hits + 1, true
  is_blocked = hits > limit
  if is_blocked then
    blocked_until = now + block
  end
end

if counts and ttl > 0 then
  local ends = now + ttl
  if #runs >= 11 * most then
    ends = ends + -ends % grain
  end
  -- A shorter ttl than before ends before hits that were counted earlier.
  local at, count, rest = #runs + 1, 1, #runs + 1
  while at > 1 do
    local before = at - 11
    local run_ends, run_count = struct.unpack('>I7 I4', runs, before)
    if run_ends < ends then
      break
    end
    at = before
    if run_ends > ends then
      rest = at
    else
      count = run_count + 1
    end
  end
  runs = string.sub(runs, 1, at - 1) .. struct.pack('>I7 I4', ends, count) .. string.sub(runs, rest)
end

local stored = ttl > 0 and hits or hits - (counts and 1 or 0)
if changes then
  local last = math.max(blocked_until, ttl_ends)
  if #runs > 0 then
    local from = #runs - 10
    local run_ends = struct.unpack('>I7', runs, from)
    last = math.max(last, run_ends)
  end
  if last > now then
    local head = struct.pack('>I7 I7 I7 I7', now, blocked_until, ttl_ends, stored)
    redis.call('SET', key, head .. runs, 'PXAT', math.floor(last / 1000) + 1)
  else
    redis.call('DEL', key)
  end
end

-- Without a block, a denied hit waits for the first of those that count.
local first = ttl_ends
if #runs > 0 then
  first = struct.unpack('>I7', runs, 1)
end
if block > 0 then
  local left = is_blocked and math.min(limit - hits, -1) or limit - hits
  return { now, is_blocked and 0 or 1, left, is_blocked and blocked_until - now or 0, ttl_ends - now }
end
local left = counts and limit - hits or limit - hits - 1
return { now, counts and 1 or 0, left, stored >= limit and first - now or 0, ttl_ends - now }
