-- Reads the hashes under KEYS, or, where ARGV[1] is 'top', the sorted sets with their highest counts first. Replies with one
-- list per key: fields and values, or members and counts, in turn.

local reply = {}
for i, key in ipairs(KEYS) do
  if ARGV[1] == 'top' then
    reply[i] = redis.call('ZREVRANGE', key, 0, -1, 'WITHSCORES')
  else
    reply[i] = redis.call('HGETALL', key)
  end
end
return reply
