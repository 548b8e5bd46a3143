import { beforeEach, expect, test, vi } from "vitest";

import type { Row } from "../../src/algorithms/model.ts";
import type { DenialCache } from "../../src/decide/denial-cache.ts";
import type { Reply } from "../../src/store/store.ts";
import { firstViolation } from "./first-violation.ts";
import { assemble } from "./isolate.ts";

/* Mistakes in an isolate's knowledge: each denies a client that the server would admit, and must be found. */
const mutation = vi.hoisted(() => ({
  denialCache: (cache: DenialCache): DenialCache => cache,
  clock: undefined as ((read: () => number) => () => number) | undefined,
}));
vi.mock(import("../../src/runtime/time.ts"), async (original) => {
  const { steadyClock, ...rest } = await original();
  return { ...rest, steadyClock: (read) => (mutation.clock ?? steadyClock)(read) };
});
vi.mock(import("../../src/decide/denial-cache.ts"), async (original) => {
  const { createDenialCache, ...rest } = await original();
  return {
    ...rest,
    createDenialCache: (...given) => mutation.denialCache(createDenialCache(...given)),
  };
});
beforeEach(() => {
  mutation.denialCache = (cache) => cache;
  mutation.clock = undefined;
});

/** The share that the denial cache takes off a wait, because its clock may run faster than the server's. */
const MARGIN = 5e-4;

const none = () => 0;

/** In microseconds. */
function longestWait(rows: readonly Row[]): number {
  return Math.max(...rows.map(({ retryAfterUs }) => retryAfterUs));
}

test("counting a wait from the moment the reply came is found", async () => {
  let now = () => 0;
  mutation.denialCache = (cache) => ({
    ...cache,
    learn: (partition, costs, _sentAt, reply) => cache.learn(partition, costs, now(), reply),
  });
  const mutant: typeof assemble = (parts) => {
    ({ now } = parts.settings);
    return assemble(parts);
  };
  expect(await firstViolation(mutant)).toMatch(/^true-denials: /);
});

test.for<[mistake: string, mutant: (cache: DenialCache) => DenialCache]>([
  [
    "taking the denial of a cost for one of every cost",
    (cache) => ({
      ...cache,
      learn: (partition, costs, ...answer) => cache.learn(partition, costs.map(none), ...answer),
    }),
  ],
  ["keeping earlier denials over a reset", (cache) => ({ ...cache, forget: () => {} })],
])("%s is found", async ([, mutant]) => {
  mutation.denialCache = mutant;
  expect(await firstViolation()).toMatch(/^true-denials: /);
});

test("trusting that all clocks run alike is found", async () => {
  mutation.denialCache = (cache) => {
    const margins = new Map<string, number>();
    return {
      ...cache,
      learn(partition, costs, sentAt, reply) {
        margins.set(partition, (longestWait(reply.rows) / 1000) * MARGIN);
        cache.learn(partition, costs, sentAt, reply);
      },
      find: (partition, costs, now) =>
        cache.find(partition, costs, now - (margins.get(partition) ?? 0)),
    };
  };
  expect(await firstViolation()).toMatch(/^true-denials: /);
});

test("trusting a denial for longer than a minute is found", async () => {
  mutation.denialCache = (cache) => {
    const lasting = new Map<
      string,
      { cost: number; sentAt: number; until: number; reply: Reply }
    >();
    return {
      ...cache,
      learn(partition, costs, sentAt, reply) {
        cache.learn(partition, costs, sentAt, reply);
        if (cache.find(partition, costs, sentAt).state !== "denied") return;
        const until = sentAt + (longestWait(reply.rows) / 1000) * (1 - MARGIN);
        lasting.set(partition, { cost: costs[0]!, sentAt, until, reply });
      },
      find(partition, costs, now) {
        const denial = lasting.get(partition);
        if (!denial || costs[0]! < denial.cost || now >= denial.until) return { state: "unknown" };
        const left = (time: number) => Math.max(0, time - (now - denial.sentAt) * 1000);
        const rows = denial.reply.rows.map(({ remaining, retryAfterUs, resetAfterUs }) => ({
          allowed: left(retryAfterUs) === 0,
          remaining,
          retryAfterUs: left(retryAfterUs),
          resetAfterUs: left(resetAfterUs),
        }));
        return { state: "denied", nowUs: denial.reply.nowUs, rows };
      },
      forget(partition, now) {
        lasting.delete(partition);
        cache.forget(partition, now);
      },
    };
  };
  expect(await firstViolation()).toMatch(/^true-denials: /);
});

/** A clock that never goes back, and goes forwards by this many milliseconds where the one that it reads goes back. */
const leaping = (by: number) => (read: () => number) => {
  let [last, ahead] = [-Infinity, 0];
  return () => {
    const time = read() + ahead;
    if (time < last) ahead += last - time + by;
    return (last = Math.max(last + (time < last ? by : 0), time));
  };
};

test.for<[mistake: string, clock: NonNullable<typeof mutation.clock>]>([
  ["believing an isolate's clock that steps back", (read) => read],
  ["letting no time pass where an isolate's clock steps back", leaping(0)],
  ["letting only 900 ms pass there", leaping(900)],
])("%s is found", async ([, clock]) => {
  mutation.clock = clock;
  expect(await firstViolation()).toMatch(/^(true-denials|probes): /);
});
