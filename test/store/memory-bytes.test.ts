import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { describe, expect, test, vi } from "vitest";

import { MODELS } from "../../src/algorithms/all.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { AlgorithmModel } from "../../src/algorithms/model.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import {
  slidingWindowLog,
  type SlidingWindowLogState,
} from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { type MemoryStoreOptions, openMemoryStore } from "../../src/store/memory-store.ts";
import type { Reply } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { some } from "../support/runs.ts";

/* The counts in memory are bounded in bytes, for all limits. */

const child = fileURLToPath(new URL("outage-child.ts", import.meta.url));

/** In a process of its own, whose heap holds no other data. */
async function outage(algorithm: string, identities: number, limit: number, cost: number) {
  const args = ["--expose-gc", child, algorithm, ...[identities, limit, cost].map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as { bytes: number; passed: number };
}

const OUTAGES = [
  ["sliding-window-log", 50],
  ["segmented-window", 50],
  ["token-bucket", 50],
] as const;

test.for(some(OUTAGES))(
  "%s: 2,000 identities in an outage, each with a limit of 5,000 used up at %i moments, take 2 MB at most",
  { timeout: 120_000 },
  async ([algorithm, moments]) => {
    const { bytes, passed } = await outage(algorithm, 2_000, 5_000, 5_000 / moments);
    expect(bytes).toBeLessThan(2e6);
    // It is the limit that ended it.
    expect(passed).toBeGreaterThan(2_000 * moments * 0.95);
  },
);

test("more identities than an isolate counts in an outage take 6 MB at most, with all else that a limiter remembers", async () => {
  const { bytes } = await outage("sliding-window-log", 12_000, 10, 5);
  expect(bytes).toBeLessThan(6e6);
});

const DAY = 86_400_000_000;

function counting(policy: Policy, options: MemoryStoreOptions = {}) {
  let now = 1.8e15;
  const policies = compile([policy]);
  const store = openMemoryStore({ now: () => now, ...options });
  return {
    pass: (microseconds: number) => (now += microseconds),
    allowed: (key: string, cost = 1) =>
      (store.decide("consume", [key], [cost], policies) as Reply).rows[0]!.allowed,
  };
}

describe("beyond maxBytes", () => {
  test("the key unused for longest goes first, and then counts from nothing", () => {
    // Room for two keys of a few runs each, and not for three.
    const { allowed } = counting(slidingWindowLog({ limit: 2, window: "1d" }), { maxBytes: 700 });
    expect([allowed("a", 2), allowed("b", 2)]).toEqual([true, true]);
    expect([allowed("a"), allowed("b")]).toEqual([false, false]);
    // Denied, but in use.
    expect(allowed("a")).toBe(false);
    expect(allowed("c", 2)).toBe(true);
    expect([allowed("a"), allowed("c")]).toEqual([false, false]);
    expect(allowed("b", 2)).toBe(true);
  });

  test("a key grows at the cost of others", () => {
    const { allowed, pass } = counting(slidingWindowLog({ limit: 100, window: "1d" }), {
      maxBytes: 1_600,
    });
    expect([allowed("a", 100), allowed("b", 100)]).toEqual([true, true]);
    for (let request = 0; request < 100; request++) {
      pass(1);
      allowed("c");
    }
    expect(allowed("a", 100)).toBe(true);
  });

  test("the last one stays, however little it may be", () => {
    const { allowed } = counting(fixedWindow({ limit: 1, window: "1d" }), { maxBytes: 1 });
    expect([allowed("a"), allowed("a")]).toEqual([true, false]);
  });

  test("a reset gives its bytes back", () => {
    let now = 1.8e15;
    const policies = compile([fixedWindow({ limit: 1, window: "1d" })]);
    const store = openMemoryStore({ now: () => now, maxBytes: 1_000 });
    for (let round = 0; round < 100; round++) {
      now++;
      store.decide("consume", [`round-${round}`], [1], policies);
      store.reset([`round-${round}`]);
      store.reset([`round-${round}`, "never-seen"]);
    }
    const consume = (key: string) =>
      (store.decide("consume", [key], [1], policies) as Reply).rows[0]!.allowed;
    expect([consume("a"), consume("b"), consume("a"), consume("b")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

const logModel = MODELS["sliding-window-log"] as AlgorithmModel<
  Readonly<Record<string, number>>,
  SlidingWindowLogState
>;

describe("a log that tells no more than 128 moments apart", () => {
  const LIMIT = 100_000;
  const asking = (limit: number, nowUs: number, cost = 1) =>
    ({
      nowUs,
      operation: "consume",
      cost,
      limit,
      parameters: { windowUs: DAY, unused: 0 },
    }) as const;

  test("holds no more numbers, and decides over no more, at the largest limit", () => {
    const model = vi.spyOn(MODELS, "sliding-window-log");
    const { allowed, pass } = counting(slidingWindowLog({ limit: LIMIT, window: "1d" }));
    for (let request = 0; request < 3_000; request++) {
      pass(DAY / 4_000);
      allowed("a", 30);
    }
    const states = model.mock.results.map(({ value }) => value.state as SlidingWindowLogState);
    expect(Math.max(...states.map(({ runs }) => runs.length))).toBe(3 * 128);
    model.mockRestore();
  });

  test("is as exact as the script while no more moments are there", () => {
    let [exact, bounded]: (SlidingWindowLogState | undefined)[] = [];
    for (let at = 0; at < 400; at++) {
      const now = 1.8e15 + Math.floor((at * DAY) / 130);
      const expected = logModel(exact, asking(128, now));
      const { state, ...row } = logModel(bounded, { ...asking(128, now), maxMoments: 128 });
      expect({ ...row, state }).toEqual(expected);
      [exact, bounded] = [expected.state, state];
    }
  });

  test("counts no unit for shorter than a window, and none for longer by more than a 63rd", () => {
    let state: SlidingWindowLogState | undefined;
    let now = 1.8e15;
    const taken: { readonly at: number; readonly units: number }[] = [];
    let seed = 1;
    const next = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let request = 0; request < 20_000; request++) {
      // Bursts, pauses, and as many in a window as make the oldest run just stay.
      now += Math.floor(next() < 0.1 ? next() * DAY * 0.05 : (next() * DAY) / 400);
      const cost = 1 + Math.floor(next() * 9);
      const asked = { ...asking(2_000, now, cost), maxMoments: 128 };
      const { allowed, remaining, state: kept } = logModel(state, asked);
      if (allowed) taken.push({ at: now, units: cost });
      state = kept;
      const within = (span: number) =>
        taken.filter(({ at }) => at > now - span).reduce((sum, { units }) => sum + units, 0);
      if (request % 20 > 0) continue;
      expect(2_000 - remaining).toBeGreaterThanOrEqual(within(DAY));
      expect(2_000 - remaining).toBeLessThanOrEqual(within(DAY * (1 + 1 / 63)));
    }
    expect(taken.length).toBeGreaterThan(5_000);
  });

  test("comes free while requests just keep coming as fast as moments pass", () => {
    for (const perWindow of [127, 128, 129, 130, 200, 257, 900]) {
      let state: SlidingWindowLogState | undefined;
      let admitted = 0;
      for (let at = 0; at < 5 * perWindow; at++) {
        const now = 1.8e15 + Math.floor((at * DAY) / perWindow);
        const outcome = logModel(state, { ...asking(1_000, now), maxMoments: 128 });
        ({ state } = outcome);
        admitted += Number(outcome.allowed);
      }
      expect([perWindow, admitted / (5 * perWindow)]).toEqual([perWindow, 1]);
    }
  });
});

test.for([
  tokenBucket({ limit: 1_000_000, refill: 1, per: "1s" }),
  slidingWindowCounter({ limit: 1_000_000, window: "1h" }),
  segmentedWindow({ limit: 1_000_000, window: "1h", segments: 60 }),
  fixedWindow({ limit: 1_000_000, window: "1h" }),
])("$algorithm needs no more for a large limit than for a small one", (policy) => {
  const { pass, allowed } = counting(policy, { maxBytes: 2_000 });
  // One other, which would have to go.
  allowed("other", 1_000_000);
  for (let request = 0; request < 500; request++) {
    pass(1_000);
    allowed("a", 1_000);
  }
  expect(allowed("other", 1_000_000)).toBe(false);
});
