-- Writes a pool, for as long as anything in it matters: its units, a wait, the demand, and open credit.
--   reads the locals  now, key, keep, pool
local since, requested, before = pool.since, math.min(2 ^ 47, math.floor(64 * pool.requested)), math.min(2 ^ 47, math.floor(64 * pool.before))
local claim, claim_ends, trip, left = pool.claim, pool.claim_ends, math.floor(pool.trip), pool.left + 1
local retry_until, poll_at, open, short_at = pool.retry_until, pool.poll_at, pool.open, pool.short_at
local lost, full_at, kept = pool.lost, pool.full_at, {}
for grant = 1, #pool.grants, 2 do
  local ends, number = pool.grants[grant], pool.grants[grant + 1]
  if number > 0 then
    kept[#kept + 1] = struct.pack('>I7 I6', ends, number)
  end
end
local count = #kept
for entry = 1, #pool.returns, 2 do
  local ends, number = pool.returns[entry], pool.returns[entry + 1]
  kept[#kept + 1] = struct.pack('>I7 I6', ends, number)
end
local ends = math.max(now + 2 * pool.term, retry_until, poll_at > 0 and poll_at + 2 * trip + pool.term or 0)
if open > 0 then
  ends = math.max(ends, now + keep)
end
local head = struct.pack('>I7 I7 I5 I7 I6 I6 I7', claim, claim_ends, trip, since, requested, before, left)
local tail = struct.pack('>I7 I7 I6 I7 I7 I6 I7 I1', retry_until, poll_at, open, now, short_at, lost, full_at, count)
redis.call('SET', key, head .. tail .. table.concat(kept), 'PX', math.ceil((ends - now) / 1000))
