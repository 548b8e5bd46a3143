import fc from "fast-check";
import { expect, test } from "vitest";

import { concurrency } from "../../src/features/holds/concurrency-option.ts";
import { refundInMemory } from "../../src/store/memory-store.ts";
import { createMemory } from "../../src/store/memory.ts";
import { compile } from "../support/compile-policy.ts";
import { least, runs } from "../support/runs.ts";

/*
 * Two settings of one concurrency policy that are alive at once, as in two-settings.test.ts. The book knows only when
 * holds began and ended.
 */

const START = 1_800_000_000_000_000;
const KEYS = ["tg:{a}:slots"];

const setting = fc.record({
  limit: fc.integer({ min: 1, max: 8 }),
  ttlS: fc.integer({ min: 1, max: 60 }),
});

const step = fc.record({
  gapUs: fc.oneof(
    { weight: 3, arbitrary: fc.constant(1) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 2e6 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 40e6 }) },
  ),
  which: fc.nat(3),
  operation: fc.constantFrom("consume", "consume", "consume", "peek", "release"),
  pick: fc.nat(7),
});

test("settings of a concurrency never give more slots at once than the limit of the one that asks", () => {
  const happened = { taken: 0, denied: 0, released: 0 };
  fc.assert(
    fc.property(
      fc.array(setting, { minLength: 2, maxLength: 4 }),
      fc.array(step, { minLength: 1, maxLength: 120, size: "max" }),
      (settings, steps) => {
        const memory = createMemory();
        const shortestUs = 1e6 * Math.min(...settings.map(({ ttlS }) => ttlS));
        let holds: { readonly id: string; readonly at: number; readonly ttlUs: number }[] = [];
        let now = START;
        for (const [index, { gapUs, which, operation, pick }] of steps.entries()) {
          now += gapUs;
          const { limit, ttlS } = settings[which % settings.length]!;
          const policies = compile([concurrency({ name: "c", limit, ttl: `${ttlS}s` })]);
          const ttlUs = ttlS * 1e6;
          if (operation === "release") {
            const hold = holds[pick % holds.length];
            if (!hold) continue;
            refundInMemory(memory, now, KEYS, [1], policies, now, { id: hold.id, ttlUs });
            holds = holds.filter((each) => each !== hold);
            happened.released++;
            continue;
          }
          // A setting with a shorter ttl shortens the holds of the others, to no less than its own ttl.
          const surely = holds.filter(({ at }) => now - at < shortestUs).length;
          const perhaps = holds.filter((each) => now - each.at < each.ttlUs).length;
          const slot = { id: `${index}`, ttlUs };
          const [row] =
            operation === "peek"
              ? memory.decide(now, "peek", KEYS, [1], policies).rows
              : memory.decide(now, "consume", KEYS, [1], policies, slot).rows;
          if (row!.allowed) expect(surely).toBeLessThan(limit);
          else expect(perhaps).toBeGreaterThanOrEqual(limit);
          expect(row!.remaining).toBeGreaterThanOrEqual(0);
          if (operation === "peek") continue;
          if (row!.allowed) holds.push({ id: slot.id, at: now, ttlUs });
          happened[row!.allowed ? "taken" : "denied"]++;
        }
      },
    ),
    { numRuns: runs(1_000) },
  );
  expect(Math.min(...Object.values(happened))).toBeGreaterThan(least(1_000));
});
