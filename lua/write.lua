-- Writes what a request changes in the state of a policy, as evaluate.lua describes it.
--   reads the locals  key, bytes, place, expires
if expires then
  redis.call('SET', key, bytes, 'PXAT', expires)
elseif bytes then
  redis.call('SETRANGE', key, place, bytes)
end
