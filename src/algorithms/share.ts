import type { Quota } from "./algorithm.ts";

/** A share counts in whole millionths: in floating point, 7 % of 100 would be slightly more than 7. */
export const WHOLE_SHARE = 1_000_000;

/** A share in millionths, at least one. */
export function millionthsOf(share: number): number {
  return Math.max(1, Math.round(share * WHOLE_SHARE));
}

/** This share of a limit, rounded up, so that it is at least one unit. */
export function scaleLimit(limit: number, share: number): number {
  return Math.ceil((limit * millionthsOf(share)) / WHOLE_SHARE);
}

/** A share of a quota per window: fewer units in the same window, which lowers the rate as well. */
export function scaleWindow<Parameters>(
  quota: Quota<Parameters>,
  share: number,
): Quota<Parameters> {
  return { ...quota, limit: scaleLimit(quota.limit, share) };
}
