import { setTimeout as sleep } from "node:timers/promises";

/**
 * Milliseconds of the system's monotonic clock. All processes of one machine share it, so that times of sending and receiving can
 * be compared.
 */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Resolves at a time of this clock, at once if it has passed. */
export async function until(atMs: number): Promise<void> {
  const waitMs = atMs - nowMs();
  if (waitMs > 0) await sleep(waitMs);
}
