import { createLimiter, type Store } from "../../src/index.ts";
import { createPacer, type PacedTarget, type PacerOptions } from "../../src/pacing.ts";

/** A target with limits of requests and tokens a minute. */
export const pacedTarget = (name: string, requests: number, tokens: number): PacedTarget => ({
  name,
  limits: { requests, tokens },
});

/** Each worker is an isolate of its own: it shares nothing with the others but the store. */
export function pacingWorker(
  store: Store,
  order: readonly PacedTarget[],
  more: Partial<PacerOptions> = {},
) {
  return createPacer({
    limiter: (policies) => createLimiter({ store, policies }),
    order,
    ...more,
  });
}
