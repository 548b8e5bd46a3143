import { slidingWindowLog } from "../../../src/algorithms/sliding-window-log.ts";
import { fullestWindow } from "../model/trailing-window.ts";
import type { AlgorithmFacts } from "./facts.ts";
import { ADMITTED, denied, type Ledger, type Terms } from "./ledger.ts";

/** Every admission is remembered until the window has passed it. */
function log({ limit, windowUs }: Terms): Ledger {
  const times: number[] = [];
  return {
    ask(nowUs) {
      // Room for one more when the admission `limit` places before it has left the window.
      const before = times.at(-limit);
      if (before !== undefined && before > nowUs - windowUs)
        return denied(before + windowUs - nowUs);
      times.push(nowUs);
      return ADMITTED;
    },
  };
}

export const slidingWindowLogFacts: AlgorithmFacts = {
  algorithm: "sliding-window-log",
  of: (limit, window) => slidingWindowLog({ limit, window }),
  commands: {
    first: { time: 1, getrange: 1, set: 1 },
    allow: { time: 1, getrange: 1, setrange: 1 },
    deny: { time: 1, getrange: 1 },
  },
  longestWait: 1,
  longestWaitUs: (_policy, windowUs) => windowUs,
  excessOf: ({ limit, parameters: { windowUs } }, admissions) =>
    fullestWindow(admissions, windowUs!) - limit,
  most: (limit) => limit,
  changesBeforeRefund: Infinity,
  promise: "trailing",
  ledger: log,
  tightens: "window",
  // The oldest leaves, and the rest is written anew: the request after that makes Redis double the text.
  filled: [8, 30].map((limit) => ({
    limit,
    cost: 1,
    shares: [0, ...Array.from({ length: limit - 2 }, (_, i) => 0.5 + i / 100), 1.05, 1.06],
  })),
  attacked: [
    slidingWindowLog({ limit: 5, window: "10s" }),
    slidingWindowLog({ limit: 37, window: "1.000003s" }),
  ],
  compiled: [
    {
      policy: slidingWindowLog({ limit: 30, window: "10s" }),
      name: "sliding-window-log-30-10s",
      parameters: [10_000_000, 0],
      window: 10,
    },
  ],
};
