-- Notice: whether a notice about a policy was sent in the window that was counted. No request asks it: it limits isolates that
-- want to send the same notice.
--
-- State    a string of big-endian numbers:
--            byte  size
--            0     7     ends: when the window ends that the notice is about, in microseconds
--            7     7     told: the greatest limit of the policy of which it was sent; 0 if of none
--            14    7     telling: until when an isolate has time to send it
-- @arguments window, of_limit
-- window    length of the policy's window in microseconds
-- of_limit  the policy's limit, which a plan may change
--
-- `consume` claims the notice: allowed if none of this limit or a greater one was sent in the window, and no other isolate is
-- sending one. `charge` notes that it was sent, unless a reset or a newer window has come between. The cost of both is the end of
-- the window that was counted, or 1 where the policy's windows have no end: then a window begins with the first claim.
-- `remaining` is the end of the window, which names it. Ends that differ by less than half a window are of one window, because an
-- isolate may have estimated one. A state that ends two windows ahead is of a clock that has stepped back, and counts for nothing.
-- @inline
local function notice(value, now, operation, cost, window, of_limit)
  -- Longer than Workers keep a request after its response: then the isolate has sent it, or never will.
  local patience = math.min(window, 60000000)
  local ends, told, telling = 0, 0, 0
  if value and #value == 21 then
    ends, told, telling = struct.unpack('>I7 I7 I7', value, 1)
  end
  local is_running = ends > now and ends <= now + window
  local about = cost ~= 1 and cost or is_running and ends or now + window
  local same = 2 * math.abs(about - ends) < window
  local newer = not same and (about > ends or ends > now + 2 * window)
  about = same and ends or about
  if newer then
    told, telling = 0, 0
  end

  local is_telling = telling > now and telling <= now + patience
  local allowed = (same or newer) and told < of_limit and not is_telling and 1 or 0
  local claims = operation == 'consume' and allowed == 1
  local confirms = operation == 'charge' and same and told < of_limit
  local bytes, expires
  if claims or confirms then
    told, telling = confirms and of_limit or told, claims and now + patience or 0
    -- The key outlives its window: a late claim must find it.
    bytes, expires = struct.pack('>I7 I7 I7', about, told, telling), math.floor((math.max(about, now) + patience) / 1000) + 1
  end

  local left = math.max(0, about - now)
  local wait = told < of_limit and (claims or is_telling) and telling - now or left
  return allowed, about, wait, left, bytes, nil, expires
end

-- A notice that was told stays told.
-- @inline
local function notice_refund()
  return 0, nil
end
