import { fixedWindow } from "../../../src/algorithms/fixed-window.ts";
import type { AlgorithmFacts } from "./facts.ts";
import { ADMITTED, denied, type Ledger, type Terms } from "./ledger.ts";

/** Units per calendar window. */
function fixed({ limit, windowUs }: Terms): Ledger {
  const used = new Map<number, number>();
  return {
    ask(nowUs) {
      const window = Math.floor(nowUs / windowUs);
      const count = used.get(window) ?? 0;
      if (count >= limit) return denied((window + 1) * windowUs - nowUs);
      used.set(window, count + 1);
      return ADMITTED;
    },
  };
}

export const fixedWindowFacts: AlgorithmFacts = {
  algorithm: "fixed-window",
  of: (limit, window) => fixedWindow({ limit, window }),
  commands: {
    first: { time: 1, get: 1, set: 1 },
    allow: { time: 1, get: 1, setrange: 1 },
    deny: { time: 1, get: 1 },
  },
  longestWait: 1,
  longestWaitUs: (_policy, windowUs) => windowUs,
  excessOf({ limit, parameters }, admissions) {
    const used = new Map<number, number>();
    for (const { time, units } of admissions) {
      const window = Math.floor(time / parameters["windowUs"]!);
      used.set(window, (used.get(window) ?? 0) + units);
    }
    return Math.max(0, ...used.values()) - limit;
  },
  // Around the boundary of two windows.
  most: (limit) => 2 * limit,
  changesBeforeRefund: 1,
  promise: "grid",
  ledger: fixed,
  tightens: "nothing",
  filled: [{ limit: 100, cost: 1, shares: [0, 0.1] }],
  attacked: [fixedWindow({ limit: 50, window: "1s" })],
  compiled: [
    {
      policy: fixedWindow({ limit: 30, window: "10s" }),
      name: "fixed-window-30-10s",
      parameters: [10_000_000, 1],
      window: 10,
    },
  ],
};
