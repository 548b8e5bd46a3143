import { setRecent } from "../runtime/lru.ts";
import { createWaitingRoom, type WaitingRoom } from "../runtime/waiting-room.ts";
import type { KnownDenial } from "./denial-cache.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import type { LocalDenials } from "./local-denials.ts";
import {
  type CountRequest,
  type PartitionRequest,
  type Verdict,
  type Decide,
  NO_MOMENT,
  type Step,
} from "./step.ts";

/**
 * Denies at once if the isolate knows the denial. After a known denial has expired, one request of its partition goes
 * on, and the others wait for its verdict. Each verdict updates the known denials.
 */
export function knownDenials(
  { now, perGroup }: LimiterContext<CoreSettings>,
  known: LocalDenials,
): Step<Decide> {
  const flightsOf = perGroup(({ denying }) => createSingleFlight(denying.length));

  return (next) => {
    async function ask(asked: CountRequest): Promise<Verdict> {
      return known.learn(asked, await next(asked));
    }

    /** @param arrivedAtMs the request's arrival, before it waited for others */
    function look(
      asked: CountRequest,
      arrivedAtMs: number,
      nowMs: number,
    ): Verdict | Promise<Verdict> {
      const { groups } = asked;
      let expired: Map<PartitionRequest, boolean> | undefined;
      let longest: { readonly asked: PartitionRequest; readonly denial: KnownDenial } | undefined;
      for (let i = 0; i < groups.length; i++) {
        const found = known.find(groups[i]!, nowMs);
        if (found.state === "denied" && !(longest && waitOf(found) <= waitOf(longest.denial))) {
          longest = { asked: groups[i]!, denial: found };
        }
        if (found.state === "expired") (expired ??= new Map()).set(groups[i]!, found.denied);
      }
      if (longest) return deny(longest.asked, longest.denial);
      if (expired) return askAlone(asked, expired, nowMs);
      for (let i = 0; i < groups.length; i++) {
        const { group, partition, costs } = groups[i]!;
        const flight = flightsOf(group).join(partition, costs, arrivedAtMs, nowMs);
        if (flight) return flight.then(() => look(asked, arrivedAtMs, now()));
      }
      return ask(asked);
    }

    /** Asks the store after denials have expired, while other requests wait. */
    function askAlone(
      asked: CountRequest,
      expired: ReadonlyMap<PartitionRequest, boolean>,
      nowMs: number,
    ): Promise<Verdict> {
      const groups = asked.groups.map((each) =>
        expired.get(each) ? { ...each, wasDenied: true } : each,
      );
      let asking = () => ask({ ...asked, groups });
      for (const { group, partition, costs } of expired.keys()) {
        const inner = asking;
        known.cacheFor(group).drop(partition);
        asking = () => flightsOf(group).run(partition, costs, nowMs, inner);
      }
      return asking();
    }

    return (asked) => {
      if (asked.operation === "reset") {
        return Promise.resolve(next(asked)).then((verdict) => {
          // Not earlier: the answer to an earlier request could restore the old denial.
          known.forget(asked.groups);
          return verdict;
        });
      }
      if (asked.operation !== "consume" || asked.mustReachStore) return ask(asked);
      const nowMs = now();
      return look(asked, nowMs, nowMs);
    };
  };
}

function waitOf({ rows }: KnownDenial): number {
  return Math.max(...rows.map(({ retryAfterUs }) => retryAfterUs));
}

/** The verdict of a known denial of one group. */
export function deny(
  asked: PartitionRequest,
  { nowUs, rows }: Pick<KnownDenial, "nowUs" | "rows">,
): Verdict {
  return {
    reason: "cached-denial",
    status: 429,
    nowUs,
    groups: [{ asked, rows, countedBy: "none", at: NO_MOMENT }],
  };
}

/**
 * When a known denial has expired, one request of its partition asks the store, and the others wait for the answer.
 * Each has its own timer: on Workers the request that asks may be gone before its answer arrives.
 */
export interface SingleFlight {
  /**
   * Asks for all requests that join. They continue when `ask` has answered or failed.
   *
   * @param nowMs the isolate's clock
   */
  run<Answer>(
    partition: string,
    costs: readonly number[],
    nowMs: number,
    ask: () => Promise<Answer>,
  ): Promise<Answer>;
  /**
   * Waits for the end of a flight whose answer may also deny these costs. `undefined` if there is none, or if the
   * request has waited for `MAX_WAIT_MS` since it arrived.
   */
  join(
    partition: string,
    costs: readonly number[],
    arrivedAtMs: number,
    nowMs: number,
  ): Promise<unknown> | undefined;
}

/**
 * The longest wait for other requests or for a flight: a round trip to another continent. On Workers a request ends
 * with its client's connection, and a flight of such a request never ends.
 */
export const MAX_WAIT_MS = 150;

/** Far more than run at once, so that only flights that never end are dropped. */
const MAX_FLIGHTS = 1_000;
interface Flight {
  readonly costs: readonly number[];
  readonly startedAtMs: number;
  readonly room: WaitingRoom;
}

/** @param rowCount the number of policies */
export function createSingleFlight(rowCount: number): SingleFlight {
  const flights = new Map<string, Flight>();

  return {
    async run(partition, costs, startedAtMs, ask) {
      const flight: Flight = { costs, startedAtMs, room: createWaitingRoom() };
      setRecent(flights, partition, flight, MAX_FLIGHTS);
      try {
        return await ask();
      } finally {
        if (flights.get(partition) === flight) flights.delete(partition);
        flight.room.letGoOn();
      }
    },

    join(partition, costs, arrivedAtMs, nowMs) {
      const flight = flights.get(partition);
      if (flight === undefined) return undefined;
      for (let row = 0; row < rowCount; row++) {
        if (costs[row]! < flight.costs[row]!) return undefined;
      }
      const leftMs = Math.min(arrivedAtMs, flight.startedAtMs) + MAX_WAIT_MS - nowMs;
      return leftMs > 0 ? flight.room.wait(leftMs) : undefined;
    },
  };
}
