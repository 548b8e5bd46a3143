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
  local hashes = { KEYS[i], KEYS[i + 1], KEYS[2] }
  local fields = tonumber(ARGV[at])
  at = at + 1
  for _ = 1, fields do
    local field = ARGV[at]
    local count = ARGV[at + 1]
    for _, key in ipairs(hashes) do
      if rooms[key] > 0 or field == 'o' or redis.call('HEXISTS', key, field) == 1 then
        if redis.call('HINCRBY', key, field, count) == tonumber(count) then
          rooms[key] = rooms[key] - 1
        end
      else
        redis.call('HINCRBY', key, 'o', 1)
      end
    end
    at = at + 2
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
