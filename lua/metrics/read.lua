-- Reads the hashes under KEYS, or, where ARGV[1] is 'top', the sorted sets with their highest counts first, or, where it is
-- 'named', their counts of the partitions whose names follow ARGV[2]. Replies with one list per key: fields and values, or
-- members and counts, in turn.
--
-- ARGV[2] how many bytes the reply may have: the keys that do not fit are left out, but never the first

local names = {}
for i = 3, #ARGV do
  names[ARGV[i]] = true
end
local reply = {}
local room = tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  local list
  if ARGV[1] == 'hashes' then
    list = redis.call('HGETALL', key)
  else
    list = redis.call('ZREVRANGE', key, 0, -1, 'WITHSCORES')
  end
  if ARGV[1] == 'named' then
    local found = {}
    for at = 1, #list, 2 do
      if names[string.match(list[at], ' (%S*)')] then
        found[#found + 1] = list[at]
        found[#found + 1] = list[at + 1]
      end
    end
    list = found
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
