import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import {
  createLimiter,
  fixedWindow,
  memoryStore,
  type Policy,
  type Store,
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
 * One identity far below its limit, in virtual time: so many requests per second, on one isolate. Tells the calls of the store per
 * decision, and the share of the requests that waited for it.
 */
async function autoScene(
  options: Pick<Policy, "lease" | "optimistic">,
  perSecond: number,
  roundTripMs: number,
) {
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
      policies: [fixedWindow({ name: "auto", limit: 1_000_000_000, window: "1h", ...options })],
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

const tables: [title: string, options: Pick<Policy, "lease" | "optimistic">][] = [
  ['`lease("auto")`', { lease: "auto" }],
  ["with `optimistic()`", { lease: "auto", optimistic: true }],
];

test.each(tables)("the table of %s is computed", { timeout: 300_000 }, async (title, options) => {
  const document = await readFile(new URL("../../docs/hot-keys.md", import.meta.url), "utf8");
  const lines = document.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${title} `));
  const rows = lines
    .slice(start + 2, start + 2 + RATES.length)
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const rates = some(RATES);
  const expected: string[][] = [];
  for (const perSecond of rates) {
    const cells: string[] = [];
    for (const roundTripMs of ROUND_TRIPS_MS) {
      const { callsPerDecision, waiting } = await autoScene(options, perSecond, roundTripMs);
      const share = (100 * waiting).toFixed(waiting > 0 && waiting < 0.1 ? 1 : 0);
      cells.push(`${callsPerDecision.toFixed(3).replace("1.000", "1")}; ${share} %`);
    }
    expected.push(["", `${perSecond.toLocaleString("en")} per second`, ...cells, ""]);
  }
  expect(rows.filter((_row, i) => rates.includes(RATES[i]!))).toEqual(expected);
  expect(rows).toHaveLength(RATES.length);
});
