-- Says how long requests would have to wait, by what a replica holds. It takes nothing and repairs nothing: where the state
-- of a policy has to be repaired, it fails, so that the primary decides.
--
-- The replica's own clock has no part in this. Its counts may be of an earlier time than the given one, and what was taken
-- since can only make a wait longer.
--
-- KEYS              those of decide.lua
-- ARGV              those of decide.lua, but for
-- ARGV[1]           the latest time that the primary's clock can show, in microseconds
-- Reply             for each policy the four numbers of decide.lua, by that time: what `ask` of evaluate.lua says; or the
--                   error REPAIR

local arguments = ARGV
local now = arguments[1] + 0
-- @include read.lua
local reply = {}
for policy = 1, #KEYS do
  local key, value, pass = KEYS[policy], values[policy], 'ask'
  local at, row = 5 * policy - 2, 4 * policy - 3
  local cost, algorithm = arguments[at - 1] + 0, arguments[at]
  -- @include evaluate.lua
  if bytes then
    return redis.error_reply('REPAIR')
  end
  reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after
end
return reply
