-- Counts points in the place of another package's store: one number for each key, which begins with the first points and is
-- forgotten at a time of its own. It knows no other windows, so that a script of a limiter stays without it.
--
-- KEYS[1]  state
-- ARGV[1]  operation
--            consume  adds the points if they leave at most the limit
--            charge   does what ARGV[9] says
--            peek     changes nothing
-- ARGV[4]  limit
-- ARGV[5]  points, a whole number; a charge may add less than none
-- ARGV[6]  window: how long points count, in microseconds from the first of them
-- ARGV[7]  block: how long all points count from the charge on that takes them past the threshold; 0 for as long as before
-- ARGV[8]  threshold
-- ARGV[9]  action of a charge
--            0  adds the points
--            1  puts the points in the place of all others
--            2  takes points back, to no less than none, if those that count end no later than ARGV[6] says
--            3  forgets the points, and replies as if it had not
--
-- Reply, integers only, times in microseconds: now; 1 if the points had room, or for a charge; limit less points; how long the
-- same points would have to wait; how long the points count, 0 if there are none.
--
-- State    a string of big-endian numbers:
--            byte  size
--            0     7     ends: when the points are forgotten
--            7     7     length: how long after the last change of `ends` that was
--            14    7     points and 2^52
--
-- When the clock goes back, the points count for their length from then on, so that nobody waits longer than that.

local ADD, SET, TAKE_BACK, FORGET = '0', '1', '2', '3'
-- The number of points stays between this and its negative.
local MOST = 4503599627370496

local operation, key, action = ARGV[1], KEYS[1], ARGV[9]
local limit, points, window = ARGV[4] + 0, ARGV[5] + 0, ARGV[6] + 0
local block, threshold = ARGV[7] + 0, ARGV[8] + 0
if operation ~= 'charge' then
  action = operation
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local ends, length, used = now, 0, 0
local stepped = false
local value = redis.pcall('GET', key)
if type(value) == 'string' and #value == 21 then
  local stored_ends, stored_length, stored = struct.unpack('>I7 I7 I7', value, 1)
  -- Else something else has written it.
  local is_own = stored_length <= MOST and stored <= 2 * MOST
  if is_own and now < stored_ends then
    ends, length, used = stored_ends, stored_length, stored - MOST
    stepped = ends - now > length
    if stepped then
      ends = now + length
    end
  end
end

local before = used
local allowed = (operation == 'charge' or used + points <= limit) and 1 or 0
local begins = stepped and operation ~= 'peek'
if action == FORGET then
  redis.call('DEL', key)
  begins = false
elseif action == SET then
  used, ends, length, begins = points, now + window, window, true
elseif action == TAKE_BACK then
  if ends <= window and used > 0 then
    used = math.max(0, used - points)
  end
elseif action == ADD or action == 'consume' and allowed == 1 then
  if ends == now then
    ends, length, begins = now + window, window, true
  end
  used = used + points
  if block > 0 and used > threshold and before <= threshold then
    ends, length, begins = now + block, block, true
  end
end

if begins or used ~= before then
  used = math.max(-MOST, math.min(MOST, used))
  local stored = used + MOST
  if not begins then
    redis.call('SETRANGE', key, 14, struct.pack('>I7', stored))
  elseif ends > now then
    local bytes = struct.pack('>I7 I7 I7', ends, length, stored)
    redis.call('SET', key, bytes, 'PXAT', math.floor(ends / 1000) + 1)
  else
    redis.call('DEL', key)
  end
end
return { now, allowed, limit - used, used + points > limit and ends - now or 0, ends - now }
