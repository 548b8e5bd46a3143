/** Units that were admitted at some moment between two, in milliseconds. */
export interface Admitted {
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  readonly units: number;
}

/** The clocks of this process and of the servers may differ by this much, in milliseconds. */
const SKEW = 5;

/** Units whose whole time lies within a span: at least this many were admitted in it. */
function unitsWithin(admitted: readonly Admitted[], fromMs: number, untilMs: number): number {
  let sum = 0;
  for (const { sentAtMs, receivedAtMs, units } of admitted) {
    if (sentAtMs >= fromMs && receivedAtMs <= untilMs) sum += units;
  }
  return sum;
}

/** The most units that were surely admitted in one window, wherever it begins. */
export function mostInAnyWindow(admitted: readonly Admitted[], windowMs: number): number {
  const counts = admitted.map(({ sentAtMs }) =>
    unitsWithin(admitted, sentAtMs, sentAtMs + windowMs),
  );
  return Math.max(0, ...counts);
}

/** The most units that were surely admitted in one window of the server's clock. */
export function mostInOneWindow(admitted: readonly Admitted[], windowMs: number): number {
  const starts = new Set(
    admitted.map(({ sentAtMs }) => Math.floor(sentAtMs / windowMs) * windowMs),
  );
  const counts = [...starts].map((start) =>
    unitsWithin(admitted, start + SKEW, start + windowMs - SKEW),
  );
  return Math.max(0, ...counts);
}

/** By how many units some span surely held more than its refill. */
export function mostAboveRefill(admitted: readonly Admitted[], perMs: number): number {
  let most = 0;
  for (const { sentAtMs } of admitted) {
    for (const { receivedAtMs } of admitted) {
      if (receivedAtMs <= sentAtMs) continue;
      const units = unitsWithin(admitted, sentAtMs, receivedAtMs);
      most = Math.max(most, units - (receivedAtMs - sentAtMs + SKEW) * perMs);
    }
  }
  return most;
}
