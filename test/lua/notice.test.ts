import fc from "fast-check";
import { expect, test } from "vitest";

import { NOTICE, WITHOUT_END } from "../../src/algorithms/notice.ts";
import { fixedWindow } from "../../src/index.ts";
import { type CompiledPolicy, completePolicy } from "../../src/policy/compile.ts";
import { createMemory } from "../../src/store/memory.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compile } from "../support/compile-policy.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();
const [counted] = compile([fixedWindow({ limit: 1, window: "1h" })]) as [CompiledPolicy];

function noticeOf(windowUs: number, ofLimit: number): CompiledPolicy {
  const traits = {
    ...counted,
    name: "api!1",
    algorithm: "notice",
    implementation: NOTICE,
  } as const;
  const quota = { limit: NOTICE.maxLimit, windowUs, parameters: { windowUs, ofLimit } };
  return completePolicy(traits, quota);
}

const step = fc.record({
  /** As a share of the window. */
  gap: fc.oneof(
    fc.double({ min: 0, max: 0.3, noNaN: true }),
    fc.constantFrom(0, 0.5, 1, 1.5, -0.4, -3),
  ),
  operation: fc.constantFrom("consume", "consume", "charge"),
  limit: fc.constantFrom(10, 20, Number.MAX_SAFE_INTEGER),
  /** Which window is meant, and how wrong its end is. */
  about: fc.constantFrom("now", "now", "before", "none"),
  errorUs: fc.constantFrom(0, 0, 1, -3_000),
});

test("notices in Lua are those of the model, over clock steps, late windows and limits", async () => {
  let claimed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1e6, 60e6, 3_600e6),
      fc.array(step, { minLength: 5, maxLength: 60, size: "max" }),
      async (windowUs, steps) => {
        const clock = { nowUs: FUTURE };
        const inRedis = storeWithClock(redis, () => clock.nowUs);
        const memory = createMemory();
        const key = `tg:{${crypto.randomUUID()}}:api!1:n`;
        for (const { gap, operation, limit, about, errorUs } of steps) {
          clock.nowUs = Math.max(FUTURE - 10 * windowUs, clock.nowUs + Math.round(gap * windowUs));
          const policies = [noticeOf(windowUs, limit)];
          const ends =
            (Math.floor(clock.nowUs / windowUs) + (about === "before" ? 0 : 1)) * windowUs;
          const costs = [about === "none" ? WITHOUT_END : ends + errorUs];
          const op = operation as "consume" | "charge";
          const reply = await inRedis.decide(op, [key], costs, policies);
          expect(reply).toEqual(memory.decide(clock.nowUs, op, [key], costs, policies));
          if (op === "consume" && reply.rows[0]!.allowed) {
            claimed++;
            // It outlives its window by the time that an isolate has to tell it.
            const keptUs =
              Math.max(reply.rows[0]!.remaining, clock.nowUs) + Math.min(windowUs, 60e6);
            expect(await redis.pexpiretime(key)).toBe(Math.floor(keptUs / 1000) + 1);
          }
        }
      },
    ),
    { numRuns: runs(100) },
  );
  expect(claimed).toBeGreaterThan(runs(100));
});

test("of a hundred isolates that claim at once one tells", async () => {
  const clock = { nowUs: FUTURE };
  const inRedis = storeWithClock(redis, () => clock.nowUs);
  const key = `tg:{${crypto.randomUUID()}}:api!1:n`;
  const policies = [noticeOf(3_600e6, 10)];
  const claim = async (ends: number) =>
    (await inRedis.decide("consume", [key], [ends], policies)).rows[0]!;
  // Some have estimated the end.
  const rows = await Promise.all(Array.from({ length: 100 }, (_, i) => claim(FUTURE + 1e9 + i)));
  expect(rows.filter(({ allowed }) => allowed)).toHaveLength(1);
  expect(new Set(rows.map(({ remaining }) => remaining)).size).toBe(1);
});
