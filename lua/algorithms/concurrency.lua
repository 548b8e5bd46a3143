-- Concurrency: slots for work that goes on. A hold keeps one slot until it gives it back, or until the slot's time is
-- over. At no moment are more than `limit` slots kept.
--
-- State     a sorted set: the ids of the slots, each with the microsecond in which it expires
-- @arguments ttl
-- ttl       in microseconds: no slot is kept longer without being extended
-- slot      the id of the slot to take; nil without a hold, and then nothing is taken
-- hold_ttl  how long the hold wants its slot kept, in microseconds; beyond ttl it counts as ttl
--
-- Any cost above 0 takes one slot; a cost of 0 comes as a `peek`, and always has room. A charge cannot take a slot that does
-- not exist, so `charge` only looks, as `peek` does. An id that has a slot is allowed, keeps it and renews
-- nothing. The waits are upper bounds: a slot may come back before its time.
--
-- When the clock goes back, or the ttl becomes shorter, a slot may have longer left than one ttl: it then expires one ttl
-- from now. Only those slots are written again, each once, and at most 1,000 with one request, so that no request holds
-- Redis up. A slot that had expired, and was not removed yet, may count again after such a step. When the limit is lowered,
-- holds that have slots keep them. Expired slots count for nothing; the next slot taken removes them.
-- @inline
local function concurrency(key, now, operation, cost, limit, ttl, slot, hold_ttl)
  local bound, latest = now + ttl, now
  local held = redis.pcall('ZCOUNT', key, now + 1, '+inf')
  -- An error: the key has another type.
  local foreign = type(held) ~= 'number'
  if foreign then
    held = 0
  elseif held > 0 then
    latest = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2] + 0
    if latest > bound then
      for _, other in ipairs(redis.call('ZRANGEBYSCORE', key, bound + 1, '+inf', 'LIMIT', 0, 1000)) do
        redis.call('ZADD', key, bound, other)
      end
      redis.call('PEXPIREAT', key, math.floor(bound / 1000) + 1)
      latest = bound
    end
  end

  local allowed = (cost == 0 or held < limit) and 1 or 0
  if allowed == 0 and slot and (redis.call('ZSCORE', key, slot) or 0) + 0 > now then
    allowed = 1
  end
  if operation == 'consume' and slot and held < limit then
    if foreign then
      redis.call('DEL', key)
    end
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    local expires = now + math.min(ttl, hold_ttl + 0)
    if redis.call('ZADD', key, 'NX', expires, slot) == 1 then
      held, latest = held + 1, math.max(latest, expires)
    end
    redis.call('PEXPIREAT', key, math.floor(latest / 1000) + 1)
  end

  local retry_after = 0
  if cost > 0 and held >= limit then
    -- Counted from the last one to expire, because expired slots may stand before the others: one is free once fewer than
    -- `limit` are left.
    retry_after = math.min(redis.call('ZRANGE', key, -limit, -limit, 'WITHSCORES')[2] + 0, bound) - now
  end
  return allowed, held < limit and limit - held or 0, retry_after, latest - now, nil, nil, nil
end

-- Gives back a slot by its id. Ids are never used again, so that there is no doubt.
-- Returns 1 if the slot was kept, 0 if it was not there or had expired: then it has come back by itself.
-- @inline
local function concurrency_refund(key, now, slot)
  local refunded = 0
  local expires = slot and redis.pcall('ZSCORE', key, slot)
  -- An error is a table, and a missing member is false.
  if type(expires) == 'string' then
    redis.call('ZREM', key, slot)
    refunded = expires + 0 > now and 1 or 0
  end
  return refunded, nil
end

-- Keeps a slot for another hold_ttl from now, or less than it had left; no other slot, and none that is no longer kept.
-- Returns 1 if the slot is kept, else 0.
-- @inline
local function concurrency_extend(key, now, ttl, slot, hold_ttl)
  local extended = 0
  local expires = redis.pcall('ZSCORE', key, slot)
  -- An error is a table, and a missing member is false.
  if type(expires) == 'string' and expires + 0 > now then
    redis.call('ZADD', key, now + math.min(ttl, hold_ttl), slot)
    local latest = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2] + 0
    -- No slot of any policy is kept for more than a day.
    redis.call('PEXPIREAT', key, math.floor(math.min(latest, now + 86400000000) / 1000) + 1)
    extended = 1
  end
  return extended
end
