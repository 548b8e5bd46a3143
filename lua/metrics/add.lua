-- Adds the counts of an isolate to the hashes of the minutes and hours in which it counted and to the total, and its
-- partitions to the sorted sets of those that were denied, and that have little left, most often.
--
-- KEYS[1] the number of the last batch of this isolate, KEYS[2] total, KEYS[3] denied, KEYS[4] near, then of each minute its
-- hash and that of its hour
-- ARGV[1] number of this batch: one that was written before changes nothing, so that a batch may be sent again
-- ARGV[2] how many minutes follow, each with how many fields it has, and each of these with its count; then how many denied
-- partitions, each with its count; then of near
--
-- Replies 1 if the batch was written, 0 if it was before.

local batch = tonumber(ARGV[1])
-- The reads find every key with a fault before the first write.
if tonumber(redis.call('GET', KEYS[1]) or 0) >= batch then
  return 0
end
local rooms = { [KEYS[2]] = 20000 - redis.call('HLEN', KEYS[2]) }
local minutes = tonumber(ARGV[2])
for i = 5, 3 + 2 * minutes, 2 do
  rooms[KEYS[i]] = 2000 - redis.call('HLEN', KEYS[i])
  rooms[KEYS[i + 1]] = 5000 - redis.call('HLEN', KEYS[i + 1])
end
redis.call('ZCARD', KEYS[3])
redis.call('ZCARD', KEYS[4])

local at = 3
for i = 5, 3 + 2 * minutes, 2 do
  local fields = tonumber(ARGV[at])
  local names, counts = {}, {}
  for field = 1, fields do
    names[field], counts[field] = ARGV[at + 1], ARGV[at + 2]
    at = at + 2
  end
  at = at + 1
  -- One read and one write of all fields: Redis in the cloud bills each command inside a script.
  for _, key in ipairs({ KEYS[i], KEYS[i + 1], KEYS[2] }) do
    local known = redis.call('HMGET', key, 'o', unpack(names))
    local overflow, changes = tonumber(known[1] or 0), {}
    for field = 1, fields do
      local before = known[field + 1]
      if names[field] == 'o' then
        overflow = overflow + counts[field]
      elseif before or rooms[key] > 0 then
        rooms[key] = rooms[key] - (before and 0 or 1)
        changes[#changes + 1] = names[field]
        changes[#changes + 1] = string.format('%.0f', (before or 0) + counts[field])
      else
        overflow = overflow + 1
      end
    end
    if overflow > 0 then
      changes[#changes + 1] = 'o'
      changes[#changes + 1] = overflow
    end
    redis.call('HSET', key, unpack(changes))
  end
  redis.call('EXPIRE', KEYS[i], 86400)
  redis.call('EXPIRE', KEYS[i + 1], 2678400)
end
for i = 3, 4 do
  local partitions = tonumber(ARGV[at])
  at = at + 1
  for _ = 1, partitions do
    redis.call('ZINCRBY', KEYS[i], ARGV[at + 1], ARGV[at])
    at = at + 2
  end
  if partitions > 0 then
    redis.call('ZREMRANGEBYRANK', KEYS[i], 0, -201)
    redis.call('EXPIRE', KEYS[i], 86400)
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', 7200)
return 1
