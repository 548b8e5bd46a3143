import { fixedWindow } from "../../../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../../../src/algorithms/token-bucket.ts";
import { type Policy } from "../../../../src/policy/policy.ts";
import type { Random } from "../random.ts";

const VERDICTS = ["open", "closed", "local", { local: { share: 0.5 } }] as const;

/** One to three policies: limits small enough to be reached, windows from far below the timeout to above a minute. */
export function drawPolicies(random: Random, refundable: boolean): Policy[] {
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => ({
    ...drawPolicy(random, index),
    ...(refundable && { refundable }),
  }));
}

function drawPolicy(random: Random, index: number): Policy {
  const common = {
    name: `p${index}`,
    limit: random.magnitude(1, 12),
    ...(random.chance(0.5) && { onFailure: random.pick(VERDICTS) }),
  };
  const window = `${random.magnitude(20, 200_000)}ms` as const;
  const build = random.pick([
    () => tokenBucket({ ...common, refill: random.integer(1, 12), per: window }),
    () => slidingWindowLog({ ...common, window }),
    () => slidingWindowCounter({ ...common, window }),
    () => segmentedWindow({ ...common, window, segments: random.integer(1, 6) }),
    () => fixedWindow({ ...common, window }),
  ]);
  return build();
}
