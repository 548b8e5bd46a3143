/** Units admitted at a time, in microseconds. Times never go down. */
export interface Admission {
  readonly time: number;
  readonly units: number;
}

/** The most units that any window of this length holds: windows are open at their old end, as the algorithms count. */
export function fullestWindow(admissions: readonly Admission[], window: number): number {
  let fullest = 0;
  let held = 0;
  let oldest = 0;
  for (const { time, units } of admissions) {
    held += units;
    while (admissions[oldest]!.time <= time - window) held -= admissions[oldest++]!.units;
    fullest = Math.max(fullest, held);
  }
  return fullest;
}

/**
 * By how many units some span of time w held more than rate * w: a bucket of that size explains all admissions.
 * The rate is `divisor` units per `interval` microseconds; whole numbers throughout.
 */
export function burstAboveRate(
  admissions: readonly Admission[],
  interval: number,
  divisor: number,
): number {
  const start = admissions[0]?.time ?? 0;
  let admitted = 0;
  let lowest = Infinity;
  let burst = 0;
  for (const { time, units } of admissions) {
    // Scaled by `interval`: units admitted so far less those that the rate has brought back since the start.
    const refilled = (time - start) * divisor;
    lowest = Math.min(lowest, admitted * interval - refilled);
    admitted += units;
    burst = Math.max(burst, admitted * interval - refilled - lowest);
  }
  return burst / interval;
}
