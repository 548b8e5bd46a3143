import {
  type Algorithm,
  createLimiter,
  fixedWindow,
  memoryStore,
  type Policy,
  segmentedWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from "../../src/index.ts";
import { fullestWindow, type Passed } from "./proof.ts";

/** The yield of an adversary around the boundary of two windows, by algorithm. */
export interface BoundaryBurst {
  readonly limit: number;
  readonly windowMs: number;
  readonly algorithms: readonly Attacked[];
}

export interface Attacked {
  readonly algorithm: Algorithm;
  readonly admittedInWorstWindow: number;
  /** The most requests in a tenth of a window: the load that the service behind gets at once. */
  readonly admittedInWorstTenth: number;
}

const LIMIT = 100;
const WINDOW_MS = 10_000;
/** On the grid of the windows. */
const BOUNDARY_MS = 1_800_000_000_000;

const window = `${WINDOW_MS}ms` as const;
const POLICIES: readonly Policy[] = [
  fixedWindow({ limit: LIMIT, window }),
  slidingWindowCounter({ limit: LIMIT, window }),
  tokenBucket({ limit: LIMIT, refill: LIMIT, per: window }),
  segmentedWindow({ limit: LIMIT, window }),
  slidingWindowLog({ limit: LIMIT, window }),
];

/** Runs the real algorithms in memory and steps their clock, so that it takes no real time. */
export async function boundaryBurst(): Promise<BoundaryBurst> {
  const algorithms: Attacked[] = [];
  for (const policy of POLICIES) {
    const passed = await attack(policy);
    algorithms.push({
      algorithm: policy.algorithm,
      admittedInWorstWindow: fullestWindow(passed, WINDOW_MS),
      admittedInWorstTenth: fullestWindow(passed, WINDOW_MS / 10),
    });
  }
  return { limit: LIMIT, windowMs: WINDOW_MS, algorithms };
}

/**
 * The whole limit in the last millisecond of a window, the whole limit again as the next begins, and from then on each
 * unit the moment it may, until the next windows have begun.
 */
async function attack(policy: Policy): Promise<Passed[]> {
  let nowUs = 0;
  const store = memoryStore({ now: () => nowUs });
  const limiter = createLimiter({ store, policies: [policy] });
  const passed: Passed[] = [];

  /** Resolves with how long the next unit would have to wait. */
  async function burst(atMs: number): Promise<number> {
    nowUs = (BOUNDARY_MS + atMs) * 1000;
    let retryAfterMs = 0;
    for (let i = 0; i < LIMIT && retryAfterMs === 0; i++) {
      const decision = await limiter.limit("adversary");
      if (decision.allowed) passed.push({ earliestMs: atMs, latestMs: atMs });
      retryAfterMs = decision.retryAfterMs;
    }
    return retryAfterMs;
  }

  await burst(-1);
  for (let atMs = 0; atMs < 1.25 * WINDOW_MS;) {
    // Whole milliseconds, so that the times are exact.
    atMs += Math.max(1, Math.ceil(await burst(atMs)));
  }
  return passed;
}
