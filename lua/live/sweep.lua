-- Forgets entries that have ended. One that ends begins with its end: {"entry":{"until":1893456000000,...
-- `bytes` are those of the others.

local entries = redis.call('HGETALL', KEYS[2])
local count = #entries / 2
local known = false
local bytes = 0
for i = 1, #entries, 2 do
  local ends = string.match(entries[i + 1], '^{"entry":{"until":(%d+)')
  if ends and tonumber(ends) <= tonumber(now_ms) then
    redis.call('HDEL', KEYS[2], entries[i])
    count = count - 1
  elseif entries[i] == ARGV[1] then
    known = true
  else
    bytes = bytes + #entries[i] + #entries[i + 1]
  end
end
