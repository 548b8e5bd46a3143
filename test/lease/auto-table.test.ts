import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import {
  createLimiter,
  fixedWindow,
  memoryStore,
  type Policy,
  slidingWindowCounter,
  type Store,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { random } from "../support/random.ts";
import { some } from "../support/runs.ts";
import { installTimers, virtualTime } from "../support/virtual-time.ts";

/*
 * The tables of docs/hot-keys.md that say what automatic leases cost. A cell that differs is shown as it has to be.
 */

const RATES = [0.1, 1, 10, 100, 1_000, 10_000];
const ROUND_TRIPS_MS = [1, 5, 30, 150];

const START = 4_000_000_000_000_000;

/** Seconds in which requests are not counted: until the isolate knows the rate and the distance. */
const WARM_UP = 3;

/** Requests that are counted. */
const COUNTED = 2_000;

/**
 * One identity below its limit, in virtual time: so many requests per second, on one isolate. Tells the calls of the store per
 * decision, and the share of the requests that waited for it.
 */
async function autoScene(policy: Policy, perSecond: number, roundTripMs: number) {
  const time = virtualTime(START);
  const restore = installTimers(time);
  try {
    const next = random(1);
    const model = memoryStore({ now: () => time.now() });
    let calls = 0;
    const distant: Store = {
      now: () => time.now(),
      async decide(...request) {
        calls++;
        await time.pass(roundTripMs * 500);
        const reply = await model.decide(...request);
        await time.pass(roundTripMs * 500);
        return reply;
      },
      reset: () => {},
    };
    const limiter = createLimiter({
      store: distant,
      policies: [policy],
    });
    const warmUp = Math.ceil(WARM_UP * perSecond);
    let [at, from, waited] = [0, 0, 0];
    const arrive = (i: number) => async () => {
      if (i === warmUp) from = calls;
      const since = time.now();
      const decision = await limiter.limit("hot");
      if (i >= warmUp && time.now() > since) waited++;
      if (!decision.allowed) throw new Error("denied below its limit");
    };
    for (let i = 0; i < warmUp + COUNTED; i++) {
      at += (-Math.log(1 - next()) / perSecond) * 1e6;
      time.at(START + Math.floor(at), arrive(i));
    }
    await time.run();
    return { callsPerDecision: (calls - from) / COUNTED, waiting: waited / COUNTED };
  } finally {
    restore();
  }
}

/** The cells of a row: one for each distance. */
async function cellsOf(policy: Policy, perSecond: number): Promise<readonly string[]> {
  const cells: string[] = [];
  for (const roundTripMs of ROUND_TRIPS_MS) {
    const { callsPerDecision, waiting } = await autoScene(policy, perSecond, roundTripMs);
    const share = (100 * waiting).toFixed(waiting > 0 && waiting < 0.1 ? 1 : 0);
    cells.push(`${callsPerDecision.toFixed(3).replace("1.000", "1")}; ${share} %`);
  }
  return cells;
}

/** The rows of the table under this title, by their cells. */
async function rowsUnder(title: string, count: number): Promise<readonly (readonly string[])[]> {
  const document = await readFile(new URL("../../docs/hot-keys.md", import.meta.url), "utf8");
  const lines = document.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${title} `));
  return lines.slice(start + 2, start + 2 + count).map((line) =>
    line
      .split("|")
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
}

const PATIENCE = { timeout: 300_000 };

const far = { name: "auto", limit: 1_000_000_000, window: "1h" } as const;

test.each<[title: string, policy: Policy]>([
  ['`lease("auto")`', fixedWindow({ ...far, lease: "auto" })],
  ["with `optimistic()`", fixedWindow({ ...far, lease: "auto", optimistic: true })],
])("the table of %s is computed", PATIENCE, async (title, policy) => {
  const rows = await rowsUnder(title, RATES.length);
  const rates = some(RATES);
  const expected: string[][] = [];
  for (const perSecond of rates) {
    const cells = await cellsOf(policy, perSecond);
    expected.push([`${perSecond.toLocaleString("en")} per second`, ...cells]);
  }
  expect(rows.filter((_row, i) => rates.includes(RATES[i]!))).toEqual(expected);
  expect(rows).toHaveLength(RATES.length);
});

/** Limits of real services, and half of what each admits per second. */
const LIMITS: readonly (readonly [name: string, policy: Policy, perSecond: number])[] = [
  ["bucket of 100, 100 per second", bucket(100, 100), 50],
  ["bucket of 1,000, 1,000 per second", bucket(1_000, 1_000), 500],
  ["bucket of 5,000, 1,000 per second", bucket(5_000, 1_000), 500],
  ["bucket of 20,000, 1,000 per second", bucket(20_000, 1_000), 500],
  ["600 in a minute", windowOf(600, "1m"), 5],
  ["6,000 in a minute", windowOf(6_000, "1m"), 50],
  ["60,000 in a minute", windowOf(60_000, "1m"), 500],
  ["36,000 in an hour", windowOf(36_000, "1h"), 5],
];

function bucket(limit: number, refill: number): Policy {
  return tokenBucket({ name: "auto", limit, refill, per: "1s", lease: "auto" });
}

function windowOf(limit: number, window: "1m" | "1h"): Policy {
  return slidingWindowCounter({ name: "auto", limit, window, lease: "auto" });
}

test("the table of real limits is computed", PATIENCE, async () => {
  const rows = await rowsUnder("limit, at half of its rate", LIMITS.length);
  const chosen = some(LIMITS);
  const expected: string[][] = [];
  for (const [name, policy, perSecond] of chosen) {
    expected.push([name, ...(await cellsOf(policy, perSecond))]);
  }
  expect(rows.filter(([name]) => chosen.some(([each]) => each === name))).toEqual(expected);
  expect(rows.map(([name]) => name)).toEqual(LIMITS.map(([name]) => name));
});
