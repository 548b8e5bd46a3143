import {
  segmentedWindow,
  type SegmentedWindowPolicy,
} from "../../../src/algorithms/segmented-window.ts";
import { fullestWindow } from "../model/trailing-window.ts";
import type { AlgorithmFacts } from "./facts.ts";
import { ADMITTED, denied, type Ledger, type Terms } from "./ledger.ts";

const SEGMENTS = 10;

/** Counts per segment, of which each is remembered until the window has passed its end. */
function segmented({ limit, windowUs }: Terms, segments: number): Ledger {
  const lengthUs = windowUs / segments;
  const counts = new Map<number, number>();
  return {
    ask(nowUs) {
      const newest = Math.floor(nowUs / lengthUs);
      let used = 0;
      for (const [segment, count] of counts) {
        if (segment < newest - segments) counts.delete(segment);
        else used += count;
      }
      if (used < limit) {
        counts.set(newest, (counts.get(newest) ?? 0) + 1);
        return ADMITTED;
      }
      const oldest = Math.min(...counts.keys());
      return denied((oldest + segments + 1) * lengthUs - nowUs);
    },
  };
}

export const segmentedWindowFacts: AlgorithmFacts = {
  algorithm: "segmented-window",
  of: (limit, window, segments = SEGMENTS) => segmentedWindow({ limit, window, segments }),
  commands: {
    first: { time: 1, get: 1, set: 1 },
    allow: { time: 1, get: 1, setrange: 1 },
    deny: { time: 1, get: 1 },
  },
  // A unit counts until its segment has left, which may be the window itself.
  longestWait: 2,
  longestWaitUs: ({ parameters: { lengthUs, segments } }) => lengthUs! * (segments! + 1),
  excessOf: ({ limit, parameters: { lengthUs, segments } }, admissions) =>
    fullestWindow(admissions, lengthUs! * segments!) - limit,
  most: (limit) => limit,
  changesBeforeRefund: 1,
  promise: "trailing",
  waitWithoutDebt: (policy) => 1 + 1 / ((policy as SegmentedWindowPolicy).segments ?? SEGMENTS),
  ledger: (terms) => segmented(terms, SEGMENTS),
  tightens: "window",
  // Once in each segment.
  filled: [{ limit: 100, cost: 1, shares: Array.from({ length: 12 }, (_, i) => i / 10) }],
  attacked: [
    segmentedWindow({ limit: 6, window: "60s" }),
    segmentedWindow({ limit: 50, window: "1s", segments: 1 }),
    segmentedWindow({ limit: 50, window: "1.000001s", segments: 7 }),
    segmentedWindow({ limit: 20, window: "10s", segments: 60 }),
  ],
  compiled: [
    {
      policy: segmentedWindow({ limit: 30, window: "10s" }),
      name: "segmented-window-30-10s",
      parameters: [1_000_000, 10],
      window: 10,
    },
    {
      policy: segmentedWindow({ limit: 30, window: "10s", segments: 3 }),
      name: "segmented-window-30-10s",
      parameters: [3_333_334, 3],
      window: 10,
    },
  ],
};
