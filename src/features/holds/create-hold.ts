import type { Decision } from "../../decide/decision.ts";
import type { Extension, Hold, Settlement, StreamOptions, WithUsage } from "../../decide/hold.ts";
import type { Cost } from "../../decide/limiter-types.ts";
import type { GroupVerdict } from "../../decide/step.ts";
import {
  type Duration,
  type DurationRange,
  isDurationWithin,
  parseDuration,
} from "../../options/duration.ts";
import { StoreError, TidegateError } from "../../options/errors.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { watchBody } from "../../runtime/watch-body.ts";
import type { Slot } from "../../store/store.ts";
import { type GiveBack, hasSlots } from "./give-back.ts";
import { type Progress, settleBy, settlementCalls, type SettlementParts } from "./settle-hold.ts";

/** The units and slots that a hold can give back. */
export interface Reservation {
  /** Names the hold's slots of concurrency policies. */
  readonly slot: Slot;
  /** The taken units, and their counters; empty for a denied hold. */
  readonly verdicts: readonly GroupVerdict[];
}

const NOTHING: Settlement = { status: "settled", returned: {}, charged: {} };
const EXTENDED: Extension = { status: "extended" };
const EXPIRED: Extension = { status: "expired" };

/** Turns a decision into a hold, whose units can be settled once. */
export function createHold(
  decision: Decision,
  { verdicts, slot }: Reservation,
  parts: SettlementParts,
): Hold {
  const slots = verdicts.filter(tookSlots);
  let { ttlUs } = slot;
  let keptAtMs = parts.now();
  let progress: Promise<Progress> | undefined;

  async function settle(cost: Cost | undefined): Promise<Settlement> {
    progress = progress
      ? progress.then((last) =>
          last.unsent.length > 0 ? settleBy(last.unsent, parts, last.settlement) : last,
        )
      : settleBy(settlementCalls(cost, verdicts, parts.policies, slot), parts, NOTHING);
    const { settlement } = await progress;
    return settlement;
  }

  async function extend(wantedUs: number): Promise<Extension> {
    if (progress || !decision.allowed) return EXPIRED;
    [ttlUs, keptAtMs] = [wantedUs, parts.now()];
    return extendAll(slots, { id: slot.id, ttlUs }, parts.giveBack);
  }

  const isDue = () => parts.now() - keptAtMs >= shortestTtlMs(slots, ttlUs) / 2;

  /**
   * Keeps the slots while a response is sent: once half of their time is over, the next chunk extends them. Chunks are
   * the only sign that the client still reads. With a timer, an unread body would keep its slots for ever.
   */
  function watch(response: Response): Response | undefined {
    if (slots.length === 0) return response;
    // The end of the socket that begins here is seen elsewhere.
    if (response.status === 101) return undefined;
    return watchBody(response, {
      chunk() {
        if (isDue()) void extend(ttlUs);
      },
      end() {},
    });
  }

  return holdOf(
    decision,
    {
      reserved: unitsOf(verdicts, ({ refundable }) => refundable),
      taken: unitsOf(verdicts, () => true),
      settle: (cost?: Cost) => settle(cost),
      release: () => settle(0),
      extend: async (ttl?: Duration) => extend(ttlUsOf(ttl)),
    },
    watch,
  );
}

type Finish = Pick<Hold, "reserved" | "taken" | "settle" | "release" | "extend">;

/** Whether a group took slots of concurrency policies. */
function tookSlots({ asked: { group, costs } }: GroupVerdict): boolean {
  return group.policies.some((policy, i) => hasSlots(policy) && costs[i]! > 0);
}

/** The shortest time for which a policy keeps a slot, in milliseconds, if the hold wants it for `ttlUs`. */
function shortestTtlMs(verdicts: readonly GroupVerdict[], ttlUs: number): number {
  const ttlsUs = verdicts.flatMap(({ asked: { group } }) =>
    group.policies.filter(hasSlots).map(({ parameters }) => parameters["ttlUs"]!),
  );
  return Math.min(ttlUs, ...ttlsUs) / 1000;
}

/** Units by policy, of the policies that a caller settles and wants to know. */
function unitsOf(
  verdicts: readonly GroupVerdict[],
  isWanted: (policy: CompiledPolicy) => boolean,
): Readonly<Record<string, number>> {
  const units = verdicts.flatMap(({ asked: { group, costs }, rows }) =>
    group.policies.flatMap((policy, i) => {
      const isSettled = !policy.countsFailures && !hasSlots(policy) && rows[i]!.allowed;
      return isSettled && isWanted(policy) ? [[policy.name, costs[i]!] as const] : [];
    }),
  );
  return Object.fromEntries(units);
}

/**
 * @param watch the response to send, while the slots are kept; `undefined` for a response that does not end the hold
 */
function holdOf(
  decision: Decision,
  finish: Finish,
  watch: (response: Response) => Response | undefined,
): Hold {
  return Object.assign(decision, {
    ...finish,
    stream(response: Response, options: StreamOptions | WithUsage<object> = {}) {
      const { usage, ...others } = { usage: settleAtEnd, ...options };
      const watched = watch(response);
      return watched ? usage(finish, watched, others) : response;
    },
  });
}

/** Settles at the reservation. */
function settleAtEnd(
  { settle }: Finish,
  response: Response,
  { waitUntil }: StreamOptions,
): Response {
  let end!: (settlement: Promise<Settlement>) => void;
  const ended = new Promise<Settlement>((resolve) => (end = resolve));
  waitUntil?.(ended);
  return watchBody(response, { end: () => end(settle()) });
}

async function extendAll(
  verdicts: readonly GroupVerdict[],
  slot: Slot,
  giveBack: GiveBack,
): Promise<Extension> {
  const places = [
    verdicts.filter(({ countedBy }) => countedBy === "memory"),
    verdicts.filter(({ countedBy }) => countedBy !== "memory"),
  ].filter(({ length }) => length > 0);
  const extended = await Promise.allSettled(places.map((each) => giveBack.extend(each, slot)));
  // One expired slot decides the result, even if other calls failed.
  if (extended.some((each) => each.status === "fulfilled" && !each.value)) return EXPIRED;
  const failed = extended.find((each) => each.status === "rejected");
  if (!failed) return EXTENDED;
  if (failed.reason instanceof StoreError) return { status: "unknown", error: failed.reason };
  throw failed.reason;
}

/** A hold of a decision that took no units. */
export function withoutHold(decision: Decision): Hold {
  const extend = () => Promise.resolve(decision.allowed ? EXTENDED : EXPIRED);
  const ends = { reserved: {}, taken: {}, settle: settleNothing, release: settleNothing, extend };
  return holdOf(decision, ends, (response) => response);
}

const settleNothing = () => Promise.resolve(NOTHING);

/** As the `ttl` of a concurrency policy. */
const TTL_RANGE: DurationRange = { min: "1s", max: "24h", example: "60s" };

/**
 * The time for which a hold keeps its slots, in microseconds. Default: each policy's `ttl`.
 *
 * @throws TidegateError `ERR_HOLD`
 */
export function ttlUsOf(ttl: Duration | undefined): number {
  if (ttl === undefined) return parseDuration(TTL_RANGE.max)!;
  if (isDurationWithin(ttl, TTL_RANGE)) return parseDuration(ttl)!;
  const { min, max, example } = TTL_RANGE;
  const shown = typeof ttl === "string" ? JSON.stringify(ttl) : typeof ttl;
  throw new TidegateError(
    "ERR_HOLD",
    `ttl must be a time with its unit from "${min}" to "${max}", such as "${example}", not ${shown}.`,
  );
}
