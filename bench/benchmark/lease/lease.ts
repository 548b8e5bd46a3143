import { fixedWindow } from "../../../src/algorithms/fixed-window.ts";
import { slidingWindowLog } from "../../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../../src/algorithms/token-bucket.ts";
import { type Policy } from "../../../src/policy/policy.ts";
import { excessOf } from "../../../test/support/lease/excess.ts";
import { atLeast, atMost, type Figure, type Part } from "../figure.ts";
import { replayHotKey } from "./replay.ts";

/** Requests per second that reach each isolate. */
const PER_ISOLATE = 1_000;
/** The offered load, as a multiple of the limit. */
const LOADS = [0.9, 1.2, 5];
const CROWDS = [1, 10];

interface Scene {
  readonly name: string;
  /** A policy of this many units per second. */
  readonly policy: (rate: number) => Policy;
  readonly crowds: readonly number[];
}

const SCENES: readonly Scene[] = [
  {
    name: "token-bucket",
    policy: (rate) => tokenBucket({ limit: rate, refill: rate, per: "1s" }),
    crowds: CROWDS,
  },
  {
    name: "fixed-window",
    policy: (rate) => fixedWindow({ limit: 5 * rate, window: "5s" }),
    crowds: CROWDS,
  },
  {
    name: "sliding-window-log",
    policy: (rate) => slidingWindowLog({ limit: 10 * rate, window: "10s" }),
    // A log of ten isolates would hold more units than a log may.
    crowds: [1],
  },
];

/** One identity that all clients ask for, and isolates that hold leases of 100 ms of it. */
export const leasePart: Part = async ({ short, tell }) => {
  const figures: Figure[] = [];
  const [scenes, loads] = short ? [SCENES.slice(0, 1), [1.2]] : [SCENES, LOADS];
  const whole = scenes.length * loads.length;
  let done = 0;
  for (const { name, policy: policyOf, crowds } of scenes) {
    let excess = 0;
    for (const load of loads) {
      tell(`${name}, load ${load}`, done++ / whole);
      for (const isolates of short ? [1] : crowds) {
        const rate = Math.round((PER_ISOLATE * isolates) / load);
        const policy = policyOf(rate);
        const seconds = short ? 12 : 50;
        const options = { policy, isolates, perIsolate: PER_ISOLATE, seconds };
        const leased = await replayHotKey({ ...options, lease: 100_000 });
        const scene = `${name}, hot, load ${load}, ${isolates} isolate${isolates > 1 ? "s" : ""}`;
        const admissible = Math.min(leased.decisions, rate * leased.seconds);
        figures.push(
          {
            name: `${scene}: Redis calls per decision`,
            unit: "",
            tidegate: leased.calls / leased.decisions,
            target: atMost(0.05, "tidegate"),
          },
          {
            name: `${scene}: of the admissible, admitted`,
            unit: "%",
            tidegate: (leased.admitted / admissible) * 100,
            target: atLeast(98, "tidegate"),
          },
        );
        excess = Math.max(excess, excessOf(policy, leased.admissions));
      }
    }
    figures.push({
      name: `${name}, hot: admitted beyond what the policy promises`,
      unit: "",
      tidegate: excess,
      target: atMost(0, "tidegate"),
    });
  }
  return figures;
};
