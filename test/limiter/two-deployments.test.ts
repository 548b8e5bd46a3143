import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { Hold } from "../../src/index.ts";
import { EVERY_FEATURE } from "../../src/limiter/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { checkSettings } from "../../src/limiter/settings.ts";
import { Faults } from "../../src/options/faults.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { memoryStore } from "../../src/store/memory-store.ts";
import { random } from "../support/random.ts";
import { least, runs } from "../support/runs.ts";

/*
 * Two deployments of one limiter that are alive at once, with limits of their own: through leases, shards and holds. A ledger
 * counts the units admitted and not given back. No window may hold more of it than the larger limit.
 */

const START = 4_000_000_000_000_000;
const WINDOW_US = 1e6;

interface Admission {
  readonly at: number;
  units: number;
}

interface Kind {
  readonly name: string;
  readonly policy: (limit: number) => Policy;
  /** The most that the spans of a limit that ends now may hold, and since when. */
  readonly spans: (
    now: number,
    admissions: readonly Admission[],
    limit: number,
  ) => readonly (readonly [since: number, most: number])[];
}

const trailing: Kind["spans"] = (now, _, limit) => [[now - WINDOW_US + 1, limit]];
const KINDS: readonly Kind[] = [
  {
    name: "token-bucket",
    policy: (limit) => tokenBucket({ name: "shared", limit, refill: limit, per: "1s" }),
    spans: (now, admissions, limit) =>
      admissions.map(({ at }) => [at, limit + Math.ceil((limit * (now - at)) / WINDOW_US)]),
  },
  {
    name: "sliding-window-log",
    policy: (limit) => slidingWindowLog({ name: "shared", limit, window: "1s" }),
    spans: trailing,
  },
  {
    name: "segmented-window",
    policy: (limit) => segmentedWindow({ name: "shared", limit, window: "1s" }),
    spans: trailing,
  },
  {
    name: "fixed-window",
    policy: (limit) => fixedWindow({ name: "shared", limit, window: "1s" }),
    spans: (now, _, limit) => [[now - (now % WINDOW_US), limit]],
  },
];

const FEATURES = {
  leases: { lease: "50ms" },
  shards: { shards: 4 },
  "neither of them": {},
} as const;

const step = fc.record({
  gapUs: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 1_200_000 }) },
  ),
  which: fc.nat(1),
  cost: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 6 })),
  act: fc.constantFrom("limit", "limit", "limit", "reserve", "end"),
  used: fc.double({ min: 0, max: 1, noNaN: true }),
});

describe.each(KINDS)("two deployments of a $name", ({ policy, spans }) => {
  test.each(Object.entries(FEATURES))("with %s admit no more than one", async (name, options) => {
    let [admitted, returned, denied] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(fc.integer({ min: 8, max: 40 }), fc.integer({ min: 8, max: 40 })),
        fc.nat(),
        fc.array(step, { minLength: 1, maxLength: 150, size: "max" }),
        async (limits, seed, steps) => {
          let now = START;
          const store = memoryStore({ now: () => now });
          const most = Math.max(...limits);
          const draw = random(seed);
          const limiters = limits.map((limit) => {
            const faults = new Faults();
            const own = Object.assign(policy(limit), options, { refundable: name !== "leases" });
            const settings = checkSettings({ policies: [own] }, EVERY_FEATURE, faults);
            faults.throwIfAny();
            return buildLimiter(
              store,
              { ...settings, now: () => now / 1000, random: draw },
              EVERY_FEATURE,
            );
          });
          const admissions: Admission[] = [];
          const holds: { hold: Hold; of: Admission }[] = [];
          const admit = (units: number) => {
            const admission = { at: now, units };
            admissions.push(admission);
            admitted += units;
            for (const [since, bound] of spans(now, admissions, most)) {
              const held = admissions.reduce(
                (sum, { at, units: n }) => (at >= since ? sum + n : sum),
                0,
              );
              expect(held).toBeLessThanOrEqual(bound);
            }
            return admission;
          };
          for (const { gapUs, which, cost, act, used } of steps) {
            now += gapUs;
            const limiter = limiters[which]!;
            if (act === "end") {
              const { hold, of } = holds.splice(Math.floor(used * holds.length), 1)[0] ?? {};
              if (!hold) continue;
              const spent = Math.floor(used * of!.units);
              await hold.settle(spent);
              // Units that have left the policy no longer matter, so that all unspent ones may count as given back.
              returned += of!.units - spent;
              of!.units = spent;
              continue;
            }
            if (act === "reserve" && name !== "leases") {
              const hold = await limiter.reserve("ada", { cost });
              if (hold.allowed) holds.push({ hold, of: admit(cost) });
              else denied++;
              continue;
            }
            const { allowed } = await limiter.limit("ada", { cost });
            if (allowed) admit(cost);
            else denied++;
          }
        },
      ),
      { numRuns: runs(60) },
    );
    expect(Math.min(admitted, denied)).toBeGreaterThan(least(100));
    if (name !== "leases") expect(returned).toBeGreaterThan(least(50));
  });
});
