import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import { factsOf } from "../../support/algorithms/all.ts";
import { windowOf } from "../window.ts";
import type { Invariant, Observed } from "./invariant.ts";

/** No client waits for longer than the algorithm's windows, however the clock has stepped. */
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
const longestWait = (policy: CompiledPolicy) =>
  factsOf(policy.algorithm).longestWaitUs(policy, windowOf(policy));
