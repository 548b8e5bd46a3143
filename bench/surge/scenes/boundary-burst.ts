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
} from "../../../src/index.ts";
import { type StatedCost, statedCosts } from "./stated-costs.ts";
import { fullestWindow } from "./windows.ts";

/** The yield of an adversary around the boundary of two windows, by algorithm. */
export interface BoundaryBurst {
  readonly limit: number;
  readonly windowMs: number;
  readonly algorithms: readonly Attacked[];
}

export interface Attacked {
  readonly algorithm: Algorithm;
  readonly admittedInWorstWindow: number;
  /** The same as a multiple of the limit. */
  readonly worstWindow: number;
  /** The most requests in a tenth of a window: the load that the service behind gets at once. */
  readonly admittedInWorstTenth: number;
  readonly stated: StatedCost;
  readonly moments: readonly Moment[];
}

export interface Moment {
  /** Milliseconds after the boundary. */
  readonly atMs: number;
  readonly admitted: number;
  /** All that was admitted so far. */
  readonly total: number;
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
  const costOf = await statedCosts();
  const algorithms = await Promise.all(
    POLICIES.map(async (policy): Promise<Attacked> => {
      const moments = await attack(policy);
      const passed = moments.flatMap(({ atMs, admitted }) =>
        Array.from({ length: admitted }, () => ({ earliestMs: atMs, latestMs: atMs })),
      );
      const admittedInWorstWindow = fullestWindow(passed, WINDOW_MS);
      return {
        algorithm: policy.algorithm,
        admittedInWorstWindow,
        worstWindow: admittedInWorstWindow / LIMIT,
        admittedInWorstTenth: fullestWindow(passed, WINDOW_MS / 10),
        stated: costOf(policy.algorithm),
        moments,
      };
    }),
  );
  return { limit: LIMIT, windowMs: WINDOW_MS, algorithms };
}

/**
 * The whole limit in the last millisecond of a window, the whole limit again as the next begins, and from then on each
 * unit the moment it may, until the next windows have begun.
 */
async function attack(policy: Policy): Promise<Moment[]> {
  let nowUs = 0;
  const limiter = createLimiter({
    store: memoryStore({ now: () => nowUs }),
    policies: [policy],
  });
  const moments: Moment[] = [];
  let total = 0;

  /** Resolves with how long the next unit would have to wait. */
  async function burst(atMs: number): Promise<number> {
    nowUs = (BOUNDARY_MS + atMs) * 1000;
    let [admitted, retryAfterMs] = [0, 0];
    for (let i = 0; i < LIMIT && retryAfterMs === 0; i++) {
      const decision = await limiter.limit("adversary");
      if (decision.allowed) admitted++;
      retryAfterMs = decision.retryAfterMs;
    }
    total += admitted;
    if (admitted > 0) moments.push({ atMs, admitted, total });
    return retryAfterMs;
  }

  await burst(-1);
  for (let atMs = 0; atMs < 1.25 * WINDOW_MS;) {
    // Whole milliseconds, so that the picture's times are exact.
    atMs += Math.max(1, Math.ceil(await burst(atMs)));
  }
  return moments;
}
