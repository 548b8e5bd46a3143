import { segmentedWindow } from "../../../src/algorithms/segmented-window.ts";
import { fullestWindow } from "../model/trailing-window.ts";
import type { AlgorithmFacts } from "./facts.ts";

export const segmentedWindowFacts: AlgorithmFacts = {
  algorithm: "segmented-window",
  of: (limit, window, segments = 10) => segmentedWindow({ limit, window, segments }),
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
      ttl: 0,
      window: 10,
    },
    {
      policy: segmentedWindow({ limit: 30, window: "10s", segments: 3 }),
      name: "segmented-window-30-10s",
      parameters: [3_333_334, 3],
      ttl: 0,
      window: 10,
    },
  ],
};
