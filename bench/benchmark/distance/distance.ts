import { setTimeout as sleep } from "node:timers/promises";

import { Ratelimit } from "@upstash/ratelimit";
import { Redis } from "@upstash/redis";
import { quantile } from "d3-array";

import { createLimiter, type Policy, tokenBucket } from "../../../src/index.ts";
import { startBridge } from "../../../src/node/bridge/bridge.ts";
import { openDistance } from "../cold/distant.ts";
import { spread } from "../compare.ts";
import { atMost, type Figure, type Part } from "../figure.ts";
import { openRedis } from "../redis/server.ts";
import { ABUSER, type Arrival, workload } from "../trips/workload.ts";

/** From the same rack to another continent. */
const ROUND_TRIPS_MS = [0.5, 5, 30, 100];
const ISOLATES = 100;
const LIMIT = 100;
const RATE = 50;
const UNSETTLED = 1;
/** What the busiest identity sends, as a multiple of what it may. */
const LOAD = 2;
const TOKEN = "local";
const PEER = "@upstash/ratelimit";

/** Decides a request of an isolate; resolves with whether it is allowed. */
type Decide = (identity: string, isolate: number) => Promise<boolean>;
type Contender = (url: string) => Decide;

const ours =
  (options: Pick<Policy, "lease" | "optimistic">): Contender =>
  (url) => {
    const name = crypto.randomUUID();
    const limiters = Array.from({ length: ISOLATES }, () =>
      createLimiter({
        redis: { url, token: TOKEN },
        dialect: "upstash",
        timeout: "5s",
        policies: [tokenBucket({ name, limit: LIMIT, refill: RATE, per: "1s", ...options })],
      }),
    );
    return async (identity, isolate) => (await limiters[isolate]!.limit(identity)).allowed;
  };

const peer: Contender = (url) => {
  const prefix = crypto.randomUUID();
  const limiters = Array.from(
    { length: ISOLATES },
    () =>
      new Ratelimit({
        redis: new Redis({ url, token: TOKEN, enableTelemetry: false }),
        limiter: Ratelimit.tokenBucket(RATE, "1 s", LIMIT),
        prefix,
      }),
  );
  return async (identity, isolate) => (await limiters[isolate]!.limit(identity)).success;
};

const CONTENDERS: Readonly<Record<string, Contender>> = {
  optimistic: ours({ optimistic: { unsettled: UNSETTLED } }),
  plain: ours({}),
  leased: ours({ lease: "400ms" }),
  [PEER]: peer,
  bare: () => async () => true,
};

interface Outcome {
  readonly calls: number;
  /** What the decision took, in milliseconds, of allowed requests of identities that keep to less than half of their limit. */
  readonly polite: readonly number[];
  /** The same of the one that asks for too much. */
  readonly abusive: readonly number[];
  /** By how many units the most favoured identity got more than its bucket. */
  readonly excess: number;
}

/** What requests wait for a decision, by the distance from Redis. Isolates are limiters of one process, on real time. */
export const distancePart: Part = async ({ short, tell }) => {
  const server = await openRedis();
  const bridge = await startBridge({
    redis: server.url,
    port: 0,
    token: TOKEN,
    emulate: "upstash",
  });
  const seconds = short ? 1 : 6;
  const arrivals = workload({ seed: 1, load: LOAD, isolates: ISOLATES, rate: RATE, seconds });
  const distances = short ? [5] : ROUND_TRIPS_MS;
  const figures: Figure[] = [];
  let done = 0;
  try {
    for (const roundTripMs of distances) {
      const outcomes: Record<string, Outcome> = {};
      for (const [name, open] of Object.entries(CONTENDERS)) {
        tell(
          `${name}, ${roundTripMs} ms`,
          done++ / (distances.length * Object.keys(CONTENDERS).length),
        );
        const distance = await openDistance(bridge.url, roundTripMs);
        const decide = open(distance.url);
        const settled = () => sleep(3 * roundTripMs + 100);
        // A connection of each isolate, which a deployment has from earlier requests.
        await Promise.all(
          Array.from({ length: ISOLATES }, (_, isolate) => decide("warm", isolate)),
        );
        await settled();
        const before = bridge.requests;
        const outcome = await replay(arrivals, decide);
        await settled();
        outcomes[name] = { ...outcome, calls: (bridge.requests - before) / arrivals.length };
        await distance.close();
      }
      figures.push(...figuresOf(roundTripMs, outcomes));
    }
    return figures;
  } finally {
    await bridge.close();
    await server.close();
  }
};

async function replay(
  arrivals: readonly Arrival[],
  decide: Decide,
): Promise<Omit<Outcome, "calls">> {
  const [polite, abusive]: number[][] = [[], []];
  const admitted = new Map<string, number[]>();
  const start = performance.now();

  async function ask({ identity, isolate }: Arrival): Promise<void> {
    const askedAt = performance.now();
    if (!(await decide(identity, isolate))) return;
    const at = performance.now();
    (identity === ABUSER ? abusive! : polite!).push(at - askedAt);
    admitted.set(identity, [...(admitted.get(identity) ?? []), at]);
  }

  const asked: Promise<void>[] = [];
  for (const arrival of arrivals) {
    const leftMs = start + arrival.at / 1000 - performance.now();
    if (leftMs > 0) await sleep(leftMs);
    asked.push(ask(arrival));
  }
  await Promise.all(asked);
  return {
    polite: polite!,
    abusive: abusive!,
    excess: Math.max(...[...admitted.values()].map(excessOf)),
  };
}

/** By how many units admissions at these times, in milliseconds, were more than a bucket explains. */
function excessOf(times: readonly number[]): number {
  let used = 0;
  let last = times[0]!;
  let most = 0;
  for (const time of times.toSorted((a, b) => a - b)) {
    used = Math.max(0, used - ((time - last) / 1000) * RATE) + 1;
    last = time;
    most = Math.max(most, used);
  }
  return most - LIMIT;
}

function figuresOf(
  roundTripMs: number,
  outcomes: Readonly<Record<string, Outcome>>,
): readonly Figure[] {
  const away = `${roundTripMs} ms from Redis`;
  const theirs = outcomes[PEER]!;
  const own = Object.entries(outcomes).filter(([name]) => name !== PEER);
  return own.flatMap(([name, { calls, excess }]): Figure[] => {
    const compared = (value: number, other: number) => ({
      tidegate: value,
      peer: { name: PEER, value: other },
      ratio: spread([value / other]),
    });
    const waits = (of: "polite" | "abusive", share: number) =>
      compared(quantile(outcomes[name]![of], share) ?? 0, quantile(theirs[of], share) ?? 0);
    const isAhead = name === "optimistic";
    const detail = !isAhead;
    const of = `${away}, ${name}`;
    return [
      {
        name: `${of}: p50 of allowed requests below half of the limit`,
        unit: "ms",
        ...waits("polite", 0.5),
        ...(isAhead && { target: atMost(0.1, "tidegate") }),
        detail,
      },
      {
        name: `${of}: p99 of allowed requests below half of the limit`,
        unit: "ms",
        ...waits("polite", 0.99),
        detail,
      },
      {
        name: `${of}: p50 of allowed requests at ${LOAD} times the limit`,
        unit: "ms",
        ...waits("abusive", 0.5),
        detail,
      },
      {
        name: `${of}: calls per decision`,
        unit: "calls",
        ...compared(calls, theirs.calls),
        detail,
      },
      {
        name: `${of}: units above the limit`,
        unit: "units",
        tidegate: Math.max(0, excess),
        peer: { name: PEER, value: Math.max(0, theirs.excess) },
        ...(isAhead && { target: atMost(UNSETTLED * ISOLATES, "tidegate") }),
        detail,
      },
    ];
  });
}
