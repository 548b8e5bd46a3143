import type { CompiledPolicy } from "../../../../src/policy/compile.ts";
import { windowOf } from "../window.ts";
import type { Invariant, Observed } from "./invariant.ts";

/** Nobody waits for longer than the algorithm's windows, however the clock has stepped. */
export function boundedWaits({ scenario, violated }: Observed): Invariant {
  const longest = scenario.settings.policies.map(longestWait);

  return {
    executed({ keys, rows }) {
      for (const [i, { retryAfterUs }] of rows.entries()) {
        if (retryAfterUs > longest[i]!) {
          violated("waits", `${retryAfterUs} us for ${keys[i]}, at most ${longest[i]}`);
        }
      }
    },
  };
}

/** In microseconds, by the server's clock. */
function longestWait(policy: CompiledPolicy): number {
  const { algorithm, parameters } = policy;
  const { lengthUs = 0, segments = 0 } = parameters;
  const length = windowOf(policy);
  switch (algorithm) {
    case "token-bucket":
      // The deepest debt is a whole bucket.
      return 2 * length;
    case "sliding-window-counter":
      return 2 * length;
    case "segmented-window":
      return lengthUs * (segments + 1);
    default:
      return length;
  }
}
