import { slidingWindowCounter } from "../../../src/algorithms/sliding-window-counter.ts";
import { fullestWindow } from "../model/trailing-window.ts";
import type { AlgorithmFacts } from "./facts.ts";
import { ADMITTED, denied, type Ledger, type Terms } from "./ledger.ts";

/** One short of twice, because the previous window's weight only reaches 0 as the window ends. */
const most = (limit: number) => 2 * limit - 1;

/** This window's count, and of the last one the share that a trailing window still covers. */
function counter({ limit, windowUs }: Terms): Ledger {
  const counts = new Map<number, number>();
  const used = (nowUs: number) => {
    const window = Math.floor(nowUs / windowUs);
    const passed = nowUs / windowUs - window;
    return (counts.get(window) ?? 0) + (counts.get(window - 1) ?? 0) * (1 - passed);
  };
  return {
    ask(nowUs) {
      if (used(nowUs) + 1 > limit) {
        // The used units only sink while none are admitted, so the first moment with room is found by halving.
        let [full, free] = [nowUs, nowUs + 2 * windowUs];
        while (free - full > 1) {
          const between = Math.floor((full + free) / 2);
          if (used(between) + 1 > limit) full = between;
          else free = between;
        }
        return denied(free - nowUs);
      }
      const window = Math.floor(nowUs / windowUs);
      counts.set(window, (counts.get(window) ?? 0) + 1);
      return ADMITTED;
    },
  };
}

export const slidingWindowCounterFacts: AlgorithmFacts = {
  algorithm: "sliding-window-counter",
  of: (limit, window) => slidingWindowCounter({ limit, window }),
  commands: {
    first: { time: 1, get: 1, set: 1 },
    allow: { time: 1, get: 1, setrange: 1 },
    deny: { time: 1, get: 1 },
  },
  // The current window, and then until its weight is small enough.
  longestWait: 2,
  longestWaitUs: (_policy, windowUs) => 2 * windowUs,
  excessOf: ({ limit, parameters: { windowUs } }, admissions) =>
    fullestWindow(admissions, windowUs!) - most(limit),
  most,
  changesBeforeRefund: 1,
  promise: "weighted",
  waitWithoutDebt: ({ limit }, cost) => 1 + cost / limit,
  ledger: counter,
  tightens: "window",
  filled: [{ limit: 100, cost: 1, shares: [0, 0.5, 1.2] }],
  attacked: [
    slidingWindowCounter({ limit: 50, window: "1s" }),
    slidingWindowCounter({ limit: 7, window: "1.000003s" }),
  ],
  compiled: [
    {
      policy: slidingWindowCounter({ limit: 30, window: "10s" }),
      name: "sliding-window-counter-30-10s",
      parameters: [10_000_000, 1],
      window: 10,
    },
  ],
};
