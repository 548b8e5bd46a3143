import type { Decision } from "../decision/decision.ts";
import { StoreError } from "../errors/errors.ts";
import type { Duration } from "../options/duration.ts";
import { watchBody } from "../runtime/watch-body.ts";
import type { Cost } from "./cost.ts";
import type { GiveBack } from "./give-back.ts";
import { ttlUsOf } from "./hold-ttl.ts";
import type { Extension, Hold, Settlement, StreamOptions, WithUsage } from "./hold.ts";
import { keepSlots, shortestTtlMs } from "./keep-slots.ts";
import { type Reservation, type Taken, tookSlots } from "./selection.ts";
import { type Progress, run, type Settler, stepsTo } from "./settle.ts";

const NOTHING: Settlement = { status: "settled", returned: {}, charged: {} };
const EXTENDED: Extension = { status: "extended" };
const EXPIRED: Extension = { status: "expired" };

/** Makes a decision a hold: what it took can be settled, once. */
export function createHold(
  decision: Decision,
  { taken, slot }: Reservation,
  settler: Settler,
): Hold {
  const reserved = decision.allowed ? taken : [];
  const slots = reserved.filter(tookSlots);
  let { ttlUs } = slot;
  let keptAtMs = settler.now();
  let progress: Promise<Progress> | undefined;

  async function settle(cost: Cost | undefined): Promise<Settlement> {
    progress = progress
      ? progress.then((last) =>
          last.unsent.length > 0 ? run(last.unsent, settler, last.settlement) : last,
        )
      : run(stepsTo(cost, reserved, settler), settler, NOTHING);
    const { settlement } = await progress;
    return settlement;
  }

  async function extend(wantedUs: number): Promise<Extension> {
    if (progress || !decision.allowed) return EXPIRED;
    [ttlUs, keptAtMs] = [wantedUs, settler.now()];
    return extendAll(slots, { id: slot.id, ttlUs }, settler.giveBack);
  }

  const isDue = () => settler.now() - keptAtMs >= shortestTtlMs(slots, ttlUs) / 2;

  function watch(response: Response): Response | undefined {
    if (slots.length === 0) return response;
    // The socket that has just begun has its end elsewhere.
    if (response.status === 101) return undefined;
    return keepSlots(response, isDue, () => void extend(ttlUs));
  }

  return holdOf(
    decision,
    {
      reserved: unitsOf(reserved),
      settle: (cost?: Cost) => settle(cost),
      release: () => settle(0),
      extend: async (ttl?: Duration) => extend(ttlUsOf(ttl)),
    },
    watch,
  );
}

type Ends = Pick<Hold, "reserved" | "settle" | "release" | "extend">;

/** Of the policies that give back units. */
function unitsOf(taken: readonly Taken[]): Readonly<Record<string, number>> {
  const units = taken.flatMap(({ request: { selection, costs }, reply }) =>
    selection.policies.flatMap(({ name, refundable, countsFailures, implementation }, i) =>
      refundable && !countsFailures && !implementation.hasSlots && reply.rows[i]!.allowed
        ? [[name, costs[i]!] as const]
        : [],
    ),
  );
  return Object.fromEntries(units);
}

/** @param watch the response to send, during which the slots are kept; `undefined` for one that does not end the hold */
function holdOf(
  decision: Decision,
  ends: Ends,
  watch: (response: Response) => Response | undefined,
): Hold {
  return Object.assign(decision, {
    ...ends,
    stream(response: Response, options: StreamOptions | WithUsage<object> = {}) {
      const { usage, ...others } = { usage: settleAtEnd, ...options };
      const watched = watch(response);
      return watched ? usage(ends, watched, others) : response;
    },
  });
}

/** Settles at what was reserved. */
function settleAtEnd({ settle }: Ends, response: Response, { waitUntil }: StreamOptions): Response {
  let end!: (settlement: Promise<Settlement>) => void;
  const ended = new Promise<Settlement>((resolve) => (end = resolve));
  waitUntil?.(ended);
  return watchBody(response, { end: () => end(settle()) });
}

async function extendAll(
  taken: readonly Taken[],
  slot: Reservation["slot"],
  giveBack: GiveBack,
): Promise<Extension> {
  const extended = await Promise.allSettled(taken.map((each) => giveBack.extend(each, slot)));
  // One slot that is gone is answer enough, whatever the others say.
  if (extended.some((each) => each.status === "fulfilled" && !each.value)) return EXPIRED;
  const failed = extended.find((each) => each.status === "rejected");
  if (!failed) return EXTENDED;
  if (failed.reason instanceof StoreError) return { status: "unknown", error: failed.reason };
  throw failed.reason;
}

/** A hold of a decision that took nothing. */
export function withoutHold(decision: Decision): Hold {
  const extend = () => Promise.resolve(decision.allowed ? EXTENDED : EXPIRED);
  const ends = { reserved: {}, settle: settleNothing, release: settleNothing, extend };
  return holdOf(decision, ends, (response) => response);
}

const settleNothing = () => Promise.resolve(NOTHING);
