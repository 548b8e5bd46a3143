/** One unit comes back every `intervalUs / divisor` microseconds: a fraction, so that any rate is exact. */
export interface Rate extends Readonly<Record<string, number>> {
  readonly intervalUs: number;
  readonly divisor: number;
}

/** With any limit, such an interval is less than 2^51, or such a divisor: a bucket refills within 366 days. */
const [MOST_INTERVAL_US, MOST_DIVISOR] = [2_250_000, 71];

/** The time of one unit, by the rate alone, so that all limits at one rate have the same. */
export function intervalOf(refill: number, perUs: number): Rate {
  const common = greatestCommonDivisor(perUs, refill);
  const exact = { intervalUs: perUs / common, divisor: refill / common };
  if (exact.intervalUs <= MOST_INTERVAL_US || exact.divisor <= MOST_DIVISOR) return exact;
  // The exact fraction does not fit: use one with a smaller divisor that does, off by less than a millionth. It is rounded up
  // by more than the rounding error of the product, so that never a unit too many comes back.
  const divisor = Math.max(MOST_DIVISOR, Math.floor((MOST_INTERVAL_US * refill) / perUs));
  const intervalUs = Math.ceil(((divisor * perUs) / refill) * (1 + 2 ** -50));
  return { intervalUs, divisor };
}

function greatestCommonDivisor(a: number, b: number): number {
  while (b > 0) [a, b] = [b, a % b];
  return a;
}
