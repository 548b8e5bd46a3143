-- Takes units in advance: as many as every enforced policy has room for, at most the cost. If one has room for none,
-- none are taken. Advisory policies are charged the units taken, as far as they have room.
--
-- A leased unit may expire before its isolate spends it, and then no client gets it. So each enforced policy has an account
-- beside its state: the units of its leases that no isolate has reported as spent. A lease takes no unit by which an account
-- would exceed its bound, so that no more can be lost, however many isolates there are and whatever becomes of them.
--
-- KEYS         those of decide.lua, and then the key of each policy's account
-- ARGV         those of decide.lua, with the operation `lease` and the same cost for every policy; the roles may be empty
-- ARGV[5n+3]   own: 1 if the first unit goes to a request that nothing else can deny, so that it cannot be lost; else 0
-- ARGV[5n+4]   of policy 1: the bound of its account, and the time for which an expired unit is missing, in microseconds; 0 if
--   [5n+5]     it comes back when the window ends; then of policy 2, ...
-- ARGV[7n+4]   a report of spent units: their number, and for each policy the epoch of the account that counts them; then
--   ...        other reports
--
-- Reply        that of decide.lua, where allowed and retry_after are about one unit, and after the rows
--                taken    the number of units taken; 0 if a policy or an account has no room
--                epoch    of policy 1, then of policy 2, ...: of the account that counts these units; 0 without one
--                charged  of policy 1, then of policy 2, ..., if there are roles: how many of these units it had room for
--
-- Account      a string of big-endian numbers:
--                byte  size
--                0     7     epoch: when the period that counts now began, in microseconds; where units come back with
--                            the window, when it ends
--                7     7     unspent: units leased in this period that no isolate has reported as spent
--                14    7     before: those of the period before, of which some are still missing

local arguments = ARGV
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
-- @include read.lua
local last = #KEYS / 2
local taken = arguments[2] + 0
local roles = arguments[5 * last + 2]
local own = arguments[5 * last + 3] + 0
local reports = 7 * last + 4
local reply, changes = { now, 0, 0, 0, 0 }, {}
local epochs, unspents, befores = {}, {}, {}

for policy = 1, last do
  if string.sub(roles, policy, policy) ~= 'a' then
    local bound = 5 * last + 2 + 2 * policy
    local most, period = arguments[bound] + 0, arguments[bound + 1] + 0
    local epoch, unspent, before = 0, 0, 0
    local value = values[last + policy]
    if value and #value == 21 then
      epoch, unspent, before = struct.unpack('>I7 I7 I7', value, 1)
    end
    if period == 0 then
      if now >= epoch then
        epoch, unspent, before = 0, 0, 0
      end
    elseif now < epoch then
      -- The clock went back.
      epoch, unspent, before = now, unspent + before, 0
    elseif now - epoch >= 2 * period then
      epoch, unspent, before = now, 0, 0
    elseif now - epoch >= period then
      epoch, unspent, before = epoch + period, 0, unspent
    end
    for report = reports, #arguments, last + 1 do
      local spent, spent_in = arguments[report] + 0, arguments[report + policy] + 0
      if spent_in == epoch then
        unspent = math.max(0, unspent - spent)
      elseif spent_in == epoch - period then
        before = math.max(0, before - spent)
      end
    end
    -- A lease leaves a quarter of the room: all of it would leave other isolates without leases, and like this isolates that
    -- ask in turn soon have equal parts.
    taken = math.min(taken, own + math.ceil(0.75 * math.max(0, most - unspent - before)))
    epochs[policy], unspents[policy], befores[policy] = epoch, unspent, before
  end
end

-- All policies are asked for one unit first: the number to take is not known before the last one has answered.
for step = 1, 2 * last do
  local policy, pass, cost = step, 'ask', 1
  if step > last then
    policy = step - last
    -- A policy without room has 0 remaining, so that nothing is taken.
    pass, cost = 'charge', taken
  end
  local row, change = 4 * policy - 2, 3 * policy - 2
  local advisory = string.sub(roles, policy, policy) == 'a'
  if advisory and step > last then
    cost = math.min(cost, reply[row + 1])
  end
  if step > last and roles ~= '' then
    reply[5 * last + 2 + policy] = cost
  end
  if cost > 0 then
    local at, key, value = 5 * policy - 2, KEYS[policy], values[policy]
    local algorithm = arguments[at]
    -- @include evaluate.lua
    reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after
    changes[change], changes[change + 1], changes[change + 2] = bytes, place, expires
    if step <= last and not advisory then
      taken = math.min(taken, remaining)
    end
  end
end
reply[4 * last + 2] = taken

for policy = 1, last do
  local key, change = KEYS[policy], 3 * policy - 2
  local bytes, place, expires = changes[change], changes[change + 1], changes[change + 2]
  -- @include write.lua
  local epoch, unspent, before = epochs[policy], unspents[policy], befores[policy]
  if epoch then
    local period = arguments[5 * last + 3 + 2 * policy] + 0
    local ends = now + reply[4 * policy + 1]
    if period == 0 and (epoch == 0 or epoch > ends) then
      epoch = ends
    end
    if taken > own or reports < #arguments then
      unspent = unspent + math.max(0, taken - own)
      local account = struct.pack('>I7 I7 I7', epoch, unspent, before)
      redis.call('SET', KEYS[last + policy], account, 'PXAT', math.floor((epoch + 2 * period) / 1000) + 1)
    end
  end
  reply[4 * last + 2 + policy] = epoch or 0
end
return reply
