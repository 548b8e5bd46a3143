import { expect, test } from "vitest";

import { EVERY_FEATURE } from "../../src/features/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { createSlotBreaker } from "../../src/store/cluster/slot-breaker.ts";
import { splitStore } from "../../src/store/cluster/split-store.ts";
import { guardStore } from "../../src/store/guarded-store.ts";
import type { Store } from "../../src/store/store.ts";
import { runs } from "../support/runs.ts";
import type { Statistics } from "./invariants/invariant.ts";
import { type Assemble, assemble, runPartitioned } from "./partitions/run.ts";
import { drawPartitioned } from "./partitions/scenario.ts";

/*
 * Several partitions per decision, with costs, modes and plans, on one Redis or a Cluster whose give-backs get lost or late:
 * never above a policy's promise, no wrong denial of an isolate, all or nothing, and a policy that only watches changes nothing.
 */

/** A few seconds' worth. */
const SEEDS = runs(300);
const FIRST = 1 + Number(process.env["TEST_SEED"] ?? 0);

test(`hold their promises over ${SEEDS} seeds`, { timeout: 60_000 + SEEDS * 50 }, async () => {
  const statistics: Statistics = new Map();
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const { violation } = await runPartitioned(drawPartitioned(seed), statistics);
    expect(violation, `seed ${seed}`).toBeUndefined();
  }
  if (SEEDS < 300) return;
  const seldom = [
    "allowed",
    "limited",
    "cached-denial",
    "cost-exceeds-limit",
    "store-unavailable",
    "Cluster",
    "one Redis",
    "give-back",
    "lost give-back",
    "late give-back",
  ].filter((what) => (statistics.get(what) ?? 0) < 20);
  expect(seldom).toEqual([]);
});

test("policies that never deny have no effect", { timeout: 60_000 }, async () => {
  let compared = 0;
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const [with_, without] = [drawPartitioned(seed), drawPartitioned(seed, false)];
    const advisory = with_.settings.policies.length - without.settings.policies.length;
    // On a Cluster a policy may be the only one of its master, whose answer then takes its own time. And a denial known under a
    // plan is known of the policies that it changes.
    if (with_.masters > 1 || with_.settings.plans.size > 0 || advisory === 0) continue;
    const names = new Set(without.settings.policies.map(({ name }) => name));
    const told = async (scenario: typeof with_) =>
      (await runPartitioned(scenario)).decisions.map(({ allowed, reason, policies }) => [
        allowed,
        reason,
        policies.filter(({ name }) => names.has(name)),
      ]);
    expect(await told(with_), `seed ${seed}`).toEqual(await told(without));
    compared++;
  }
  expect(compared).toBeGreaterThan(SEEDS / 40);
});

/** The first violation that a mistake leads to. */
async function firstViolation(mutant: Assemble): Promise<string | undefined> {
  for (let seed = 1; seed <= 400; seed++) {
    const { violation } = await runPartitioned(drawPartitioned(seed), new Map(), mutant);
    if (violation) return violation;
  }
  return undefined;
}

const guardOf = (store: Store, now: () => number) =>
  guardStore(store, { timeoutMs: 1_000, now, onStoreError: () => {} }, createSlotBreaker());

test.for<[mistake: string, found: RegExp, mutant: Assemble]>([
  [
    "knowing denials that a give-back may lift",
    /would have admitted/,
    (store, settings) =>
      buildLimiter(
        { ...splitStore(guardOf(store, settings.now)), spansPartitions: () => true },
        settings,
        EVERY_FEATURE,
      ),
  ],
  [
    "giving nothing back",
    /left instead of/,
    (store, settings) => assemble({ ...store, refund: async (_keys, costs) => costs }, settings),
  ],
  [
    "giving back twice",
    /may be|left instead of/,
    (store, settings) =>
      assemble(
        {
          ...store,
          refund: async (...taken) => {
            await store.refund!(...taken);
            return store.refund!(...taken);
          },
        },
        settings,
      ),
  ],
  [
    "giving back as if it were taken when the last master answered",
    /may be|left instead of/,
    (store, settings) =>
      assemble(
        {
          ...store,
          refund: (keys, costs, policies, { nowUs }) =>
            store.refund!(keys, costs, policies, { nowUs: nowUs - 7 }),
        },
        settings,
      ),
  ],
])("%s is found", { timeout: 60_000 }, async ([, found, mutant]) => {
  expect(await firstViolation(mutant)).toMatch(found);
});
