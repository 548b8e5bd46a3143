import type { Duration } from "../../src/options/duration.ts";
import { StoreError } from "../../src/options/errors.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import { random } from "../support/random.ts";
import { virtualTime } from "../support/virtual-time.ts";

export interface Bursts {
  readonly policy: Policy;
  readonly lease: Duration | "auto";
  /** The time between bursts at least: longer than the lease. */
  readonly quietUs: number;
  readonly isolates: number;
  /** When the first request may come, in microseconds since 1970, and for how long requests come. */
  readonly startUs: number;
  readonly spanUs: number;
  readonly bursts: number;
  /** The fewest and the most requests of a burst. */
  readonly size: readonly [number, number];
  readonly costOf: (next: () => number) => number;
  /** The share of the calls that are lost: half of them before the store has counted, half of them after it. */
  readonly lost: number;
  readonly seed: number;
  /** Default: counts in memory. */
  readonly store?: (now: () => number) => Store;
}

/** The units that were counted for leases and requests and that no request got, from the beginning to a moment of quiet. */
export interface Quiet {
  readonly atUs: number;
  readonly lost: number;
}

/** The longest way to the store or back. */
const TRAVEL_US = 4_000;

/**
 * Bursts of requests for one identity, each of them at one isolate. After each burst all leases expire. What is lost is the
 * difference of two sums: what the store has counted, and the costs of the requests that were allowed.
 */
export async function bursts(options: Bursts) {
  const { policy, isolates, startUs, spanUs, quietUs, size, costOf, lost, seed } = options;
  const next = random(seed);
  const time = virtualTime(startUs);
  const now = () => time.now();
  const model = options.store?.(now) ?? openMemoryStore({ now });
  let [calls, decisions, counted, admitted] = [0, 0, 0, 0];
  const travel = () => time.pass(100 + Math.floor(next() * TRAVEL_US));
  const loseSome = () => {
    if (next() < lost / 2) throw new StoreError("ERR_STORE_TIMEOUT", "lost");
  };
  const distant: Store = {
    async decide(...request) {
      const [operation, , [cost], , , lease] = request;
      calls++;
      loseSome();
      await travel();
      const reply = await time.hold(Promise.resolve(model.decide(...request)));
      await travel();
      const isAllowed = reply.rows.every(({ allowed }) => allowed);
      // A request without an answer loses its own units with leases or without.
      const own = operation === "lease" ? (lease?.own ?? 0) : cost!;
      const taken = operation === "lease" ? reply.leased! : isAllowed ? cost! : 0;
      counted += Math.max(0, taken - own);
      loseSome();
      counted += Math.min(taken, own);
      return reply;
    },
    reset: () => {},
  };
  const limiters = Array.from({ length: isolates }, () =>
    builtLimiter(
      distant,
      { policies: [policy], lease: options.lease, onFailure: "closed", store: { now } as Store },
      { now: () => (time.now() - startUs) / 1000, random: next },
    ),
  );

  const quiet: Quiet[] = [{ atUs: startUs, lost: 0 }];
  const gapUs = Math.max(spanUs / options.bursts, 2 * quietUs);
  for (let i = 0; (i + 1) * gapUs <= spanUs; i++) {
    const limiter = limiters[Math.floor(next() * isolates)]!;
    const perSecond = 20 * 100 ** next();
    let at = startUs + i * gapUs + next() * (gapUs - quietUs) * 0.1;
    const end = startUs + (i + 1) * gapUs - quietUs;
    const count = size[0] + Math.floor(next() * (size[1] - size[0] + 1));
    for (let request = 0; request < count && at < end; request++) {
      const cost = costOf(next);
      time.at(Math.floor(at), async () => {
        decisions++;
        const { allowed } = await limiter.limit("hot", { cost });
        if (allowed) admitted += cost;
      });
      at += (-Math.log(1 - next()) / perSecond) * 1e6;
    }
    time.at(Math.floor(startUs + (i + 1) * gapUs - 1), () => {
      quiet.push({ atUs: time.now(), lost: counted - admitted });
    });
  }
  await time.run();
  return { calls, decisions, admitted, quiet };
}
