-- Reads the hashes under KEYS, or, where ARGV[1] is 'top', the sorted sets with their highest counts first. Replies with one
-- list per key: fields and values, or members and counts, in turn.
--
-- ARGV[2] how many bytes the reply may have: the keys that do not fit are left out, but never the first

local reply = {}
local room = tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  local list
  if ARGV[1] == 'top' then
    list = redis.call('ZREVRANGE', key, 0, -1, 'WITHSCORES')
  else
    list = redis.call('HGETALL', key)
  end
  for _, text in ipairs(list) do
    room = room - #text
  end
  if i > 1 and room < 0 then
    break
  end
  reply[i] = list
end
return reply
