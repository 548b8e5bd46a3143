import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import { windowOf } from "../window.ts";
import type { Invariant, Observed } from "./invariant.ts";

/** Nobody waits for longer than the algorithm's windows, and for one more if the clock went back. */
export function boundedWaits({ scenario, violated }: Observed): Invariant {
  const longest = scenario.settings.policies.map(longestWait);
  let wentBack = false;

  return {
    stepped(by) {
      if (by < 0) wentBack = true;
    },
    executed({ keys, rows }) {
      for (const [i, { retryAfter }] of rows.entries()) {
        const { steady, stepped } = longest[i]!;
        if (retryAfter > (wentBack ? stepped : steady)) {
          violated("waits", `${retryAfter} us for ${keys[i]}, at most ${steady} (${stepped})`);
        }
      }
    },
  };
}

/** In microseconds, by the server's clock alone and after it went back. */
function longestWait(policy: CompiledPolicy) {
  const {
    algorithm,
    parameters: [a, b],
  } = policy;
  const length = windowOf(policy);
  switch (algorithm) {
    case "token-bucket":
      // The deepest debt is a whole bucket; a clock that goes back makes no deeper one.
      return { steady: 2 * length, stepped: 2 * length };
    case "sliding-window-counter":
      return { steady: 2 * length, stepped: 3 * length };
    case "segmented-window":
      return { steady: a * (b + 1), stepped: a * (2 * b + 1) };
    default:
      return { steady: length, stepped: 2 * length };
  }
}
