import type { Hold, Reserve } from "../decide/hold.ts";
import type { Cost, Identity, Limiter } from "../decide/limiter-types.ts";
import { Faults } from "../options/faults.ts";
import { FUNCTION } from "../options/messages.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { keepAlive } from "../runtime/keep-alive.ts";
import { greaterCost } from "./cost-by-name.ts";
import { readSessionEvent, type SessionEvent, type SessionMessage } from "./session-event.ts";
import { costOf, end, settleAt } from "./settle-by-usage.ts";
import type { Usage } from "./usage.ts";

/** The options of `meterSession()`. */
export interface SessionOptions {
  /** The most that a turn may cost, such as `{ tokens: 4000 }`. A turn that is cut off costs no less. */
  readonly estimate: Cost;
  /** The cost of a turn, from its usage: whole numbers. */
  readonly cost: (usage: Usage) => Cost;
  /** The plan of this client: one of the limiter's `plans`. Default: the policies as they are. */
  readonly plan?: string;
}

/** The turns of one session with a model. */
export interface Session {
  /**
   * Reserves a turn. Call it before you send what begins an answer, such as `response.create`, and send that only if the hold
   * is `allowed`.
   *
   * @param cost The most that this turn may cost. Default: `estimate`
   * @throws TidegateError as `reserve()` of the limiter
   */
  reserve(cost?: Cost): Promise<Hold>;
  /**
   * Reads a message that the provider has sent, and books what it tells. Give it every message, once and in order. It never
   * throws because of a message.
   *
   * @returns resolves when the message is booked, and never rejects
   */
  meter(message: SessionMessage): Promise<void>;
  /** Ends the session, when its socket has closed: turns without an end keep their estimate. Never rejects. */
  end(): Promise<void>;
}

/**
 * Settles a long session with a model turn by turn, while its socket stays open: of OpenAI's Responses over WebSocket, its
 * Realtime API, and those like them, of Gemini's Live API, and of Nova Sonic. Each turn has a hold of its own, which ends at the
 * turn's usage.
 *
 * A turn that begins without a hold is charged when it ends: an answer that the provider began because a user has spoken, and what it
 * runs beside the answers, such as a transcription.
 *
 * @param limiter with a policy that is `refundable`
 * @throws ConfigurationError for an option that is unknown or of the wrong kind
 * @example
 * const session = meterSession(limiter, "customer:42", {
 *   estimate: { tokens: 4000 },
 *   cost: ({ totalTokens }) => ({ tokens: totalTokens }),
 * });
 * upstream.addEventListener("message", ({ data }) => void session.meter(data));
 * upstream.addEventListener("close", () => void session.end());
 * const hold = await session.reserve();
 * if (hold.allowed) upstream.send(JSON.stringify({ type: "response.create" }));
 */
export function meterSession(
  limiter: Reserve & Pick<Limiter, "charge">,
  identity: Identity,
  options: SessionOptions,
): Session {
  const { estimate, cost, plan } = checked(options);
  /** Reserved turns whose answer has not begun, the oldest first. */
  const waiting: Hold[] = [];
  /** Turns whose answer has begun, by its name; `undefined` for one without a hold. */
  const answering = new Map<string | undefined, Hold | undefined>();
  /** The names of answers that are booked, whose messages may be repeated. */
  const ended = new Set<string>();
  /** The usage that a session has told as a whole, and the part of it that is booked. */
  let told: Usage | undefined;
  let booked: Usage | undefined;

  function takeHold(id: string | undefined): Hold | undefined {
    const hold = answering.has(id) ? answering.get(id) : waiting.shift();
    answering.delete(id);
    return hold;
  }

  function takeGrowth(): Usage | undefined {
    const growth = told && usageGrowth(told, booked);
    booked = told;
    return growth && growth.totalTokens > 0 ? growth : undefined;
  }

  const charge = (units: () => Cost) =>
    end(async () => limiter.charge(identity, units(), { plan }));

  function bookTurn(hold: Hold | undefined, usage: Usage | undefined): Promise<void> {
    if (hold) return end(() => settleAt(hold, costOf(usage, cost, hold)));
    return charge(() => {
      if (!usage) return estimate;
      return usage.complete ? cost(usage) : greaterCost(cost(usage), estimate);
    });
  }

  /** Books what an event tells; nothing if it is not yet known. */
  async function book({ kind, id, usage }: SessionEvent): Promise<void> {
    if (id !== undefined && ended.has(id)) return;
    if (id !== undefined && kind === "ended") ended.add(id);
    if (kind === "ended") return bookTurn(takeHold(id), usage ?? takeGrowth());
    if (kind === "begun" && !answering.has(id)) answering.set(id, waiting.shift());
    if (kind === "total") told = usage ?? told;
    if (kind === "beside") return bookTurn(undefined, usage);
    if (kind === "refused") {
      const hold = waiting.shift();
      if (hold) return end(() => hold.release());
    }
  }

  return {
    async reserve(most = estimate) {
      const hold = await limiter.reserve(identity, { cost: most, plan });
      if (hold.allowed) waiting.push(hold);
      return hold;
    },

    async meter(message) {
      const event = readSessionEvent(message);
      if (event) await keptAlive(book(event));
    },

    async end() {
      const left = [...answering.values(), ...waiting.splice(0)];
      answering.clear();
      const growth = takeGrowth();
      const bookings = left.map((hold) => bookTurn(hold, undefined));
      // Beside the estimate of its turn, which may have begun before it.
      if (growth) bookings.push(charge(() => cost(growth)));
      await keptAlive(Promise.all(bookings));
    },
  };
}

/** The isolate of a socket's message may end before its booking. */
function keptAlive<Booking>(booking: Promise<Booking>): Promise<Booking> {
  keepAlive(booking);
  return booking;
}

function checked(value: SessionOptions): SessionOptions {
  const faults = new Faults();
  const options = checkedOptions(value, ["estimate", "cost", "plan"], faults);
  const { cost } = options;
  if (typeof cost !== "function") {
    faults.add("cost", cost, FUNCTION, "takes a usage and returns a cost");
  }
  faults.throwIfAny();
  return options;
}

const COUNTERS = [
  "inputTokens",
  "outputTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "cacheWriteHourTokens",
  "audioInputTokens",
  "audioOutputTokens",
  "searches",
  "containers",
  "costMicroDollars",
] as const;

/** The units that a session has used since an earlier usage of it. A counter that is smaller than before adds none. */
function usageGrowth(now: Usage, before: Usage | undefined): Usage {
  if (!before) return now;
  const grown = COUNTERS.flatMap((name) => {
    const units = now[name];
    return units === undefined ? [] : [[name, Math.max(0, units - (before[name] ?? 0))] as const];
  });
  const counts = Object.fromEntries(grown) as Pick<Usage, "inputTokens" | "outputTokens">;
  const totalTokens = Math.min(counts.inputTokens + counts.outputTokens, Number.MAX_SAFE_INTEGER);
  return { ...now, ...counts, totalTokens };
}
