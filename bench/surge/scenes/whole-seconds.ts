import { group, max, mean } from "d3-array";

import { createLimiter, fixedWindow, memoryStore } from "../../../src/index.ts";

/**
 * `Retry-After` is whole seconds, rounded up. Clients that were denied together therefore come back at as many instants as there
 * are whole seconds in the jitter's range.
 */
export interface WholeSeconds {
  readonly lockoutS: number;
  readonly jitter: number;
  /** Of clients that were denied at the same instant, the share that comes back together. */
  readonly meanPeakShare: number;
  /** The same for the worst of these instants. */
  readonly worstPeakShare: number;
}

const LOCKOUTS_S = [1, 2, 5, 10, 20, 60];
const JITTERS = [0.1, 0.5];
const CLIENTS = 200;
/** When in the lockout's first second the clients are denied, in milliseconds. */
const DENIED_AT_MS = [50, 250, 450, 650, 850];
const START_MS = 1_800_000_000_000;

/** By the fields of real decisions, in memory, whose clock is stepped. */
export async function wholeSeconds(): Promise<WholeSeconds[]> {
  const rows: WholeSeconds[] = [];
  for (const lockoutS of LOCKOUTS_S) {
    for (const jitter of JITTERS) {
      const shares: number[] = [];
      for (const atMs of DENIED_AT_MS) shares.push(await peakShare(lockoutS, jitter, atMs));
      const [meanPeakShare, worstPeakShare] = [mean(shares)!, max(shares)!];
      rows.push({ lockoutS, jitter, meanPeakShare, worstPeakShare });
    }
  }
  return rows;
}

async function peakShare(lockoutS: number, retryJitter: number, atMs: number): Promise<number> {
  const nowMs = START_MS + atMs;
  const limiter = createLimiter({
    store: memoryStore({ now: () => nowMs * 1000 }),
    policies: [fixedWindow({ limit: 1, window: `${lockoutS}s`, retryJitter })],
  });
  await limiter.limit("crowd");
  const waits: (string | null)[] = [];
  for (let i = 0; i < CLIENTS; i++) {
    waits.push((await limiter.limit("crowd")).headers().get("Retry-After"));
  }
  return max(group(waits, (wait) => wait).values(), ({ length }) => length)! / CLIENTS;
}
