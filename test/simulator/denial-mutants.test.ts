import { beforeEach, expect, test, vi } from "vitest";

import type { DenialCache, KnownDenial } from "../../src/limiter/denial-cache.ts";
import type { Row } from "../../src/store/store.ts";
import { firstViolation } from "./first-violation.ts";
import { assemble } from "./isolate.ts";

/* Mistakes about what an isolate knows: each denies somebody whom the server would admit, and must be found. */

const mutation = vi.hoisted(() => ({
  denialCache: (cache: DenialCache): DenialCache => cache,
}));
vi.mock(import("../../src/limiter/denial-cache.ts"), async (original) => {
  const { createDenialCache } = await original();
  return {
    createDenialCache: (maxEntries) => mutation.denialCache(createDenialCache(maxEntries)),
  };
});
beforeEach(() => {
  mutation.denialCache = (cache) => cache;
});

/** What the denial cache takes off a wait, as a share, because its clock may run faster than the server's. */
const MARGIN = 5e-4;

/** In microseconds. */
function longestWait(rows: readonly Row[]): number {
  return Math.max(...rows.map(({ retryAfter }) => retryAfter));
}

test("counting a wait from the moment the reply came is found", async () => {
  let now = () => 0;
  mutation.denialCache = (cache) => ({
    ...cache,
    learn: (partition, cost, _sentAt, rows) => cache.learn(partition, cost, now(), rows),
  });
  const mutant: typeof assemble = (parts) => {
    ({ now } = parts.settings);
    return assemble(parts);
  };
  expect(await firstViolation(mutant)).toMatch(/^true-denials: /);
});

test("taking the denial of a cost for one of every cost is found", async () => {
  mutation.denialCache = (cache) => ({
    ...cache,
    learn: (partition, _cost, sentAt, rows) => cache.learn(partition, 0, sentAt, rows),
  });
  expect(await firstViolation()).toMatch(/^true-denials: /);
});

test("trusting that all clocks run alike is found", async () => {
  mutation.denialCache = (cache) => {
    const margins = new Map<string, number>();
    return {
      ...cache,
      learn(partition, cost, sentAt, rows) {
        margins.set(partition, (longestWait(rows) / 1000) * MARGIN);
        cache.learn(partition, cost, sentAt, rows);
      },
      find: (partition, cost, now) =>
        cache.find(partition, cost, now - (margins.get(partition) ?? 0)),
    };
  };
  expect(await firstViolation()).toMatch(/^true-denials: the server would have admitted it/);
});

test("trusting a denial for longer than a minute is found", async () => {
  mutation.denialCache = (cache) => {
    const lasting = new Map<string, KnownDenial>();
    return {
      learn(partition, cost, sentAt, rows) {
        cache.learn(partition, cost, sentAt, rows);
        const denial = cache.find(partition, cost, sentAt);
        if (denial) {
          const until = sentAt + (longestWait(rows) / 1000) * (1 - MARGIN);
          lasting.set(partition, { ...denial, until });
        }
      },
      find(partition, cost, now) {
        const denial = lasting.get(partition);
        return denial && cost >= denial.cost && now < denial.until ? denial : undefined;
      },
      forget(partition, now) {
        lasting.delete(partition);
        cache.forget(partition, now);
      },
    };
  };
  expect(await firstViolation()).toMatch(/^true-denials: denied without/);
});

test("keeping over a reset what was known before is found", async () => {
  mutation.denialCache = (cache) => ({ ...cache, forget: () => {} });
  expect(await firstViolation()).toMatch(/^true-denials: /);
});
