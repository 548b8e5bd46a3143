-- Reads the hashes under KEYS, or, where ARGV[1] is 'top', the sorted sets with their highest counts first, or, where it is
-- 'named', what those have of the partitions whose names follow. Replies with one list per key: fields and values, or members
-- and counts, in turn.

local names = {}
for i = 2, #ARGV do
  names[ARGV[i]] = true
end
local reply = {}
for i, key in ipairs(KEYS) do
  if ARGV[1] == 'counts' then
    reply[i] = redis.call('HGETALL', key)
  else
    local members = redis.call('ZREVRANGE', key, 0, -1, 'WITHSCORES')
    local found = members
    if ARGV[1] == 'named' then
      found = {}
      for at = 1, #members, 2 do
        if names[string.match(members[at], ' (.*)')] then
          found[#found + 1] = members[at]
          found[#found + 1] = members[at + 1]
        end
      end
    end
    reply[i] = found
  end
end
return reply
