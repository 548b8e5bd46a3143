import type { Duration, DurationRange } from "../options/duration.ts";
import type { LeaseRules, OptionKind, Quota } from "./algorithm.ts";
import type {
  CommonOptions,
  Denials,
  Failures,
  Refundable,
  PolicyOptions,
} from "./common-options.ts";

/** Below a millisecond a network decides nothing; a year and a day covers every billing period. */
export const WINDOW_RANGE: DurationRange = { min: "1ms", max: "366d", example: "10s" };

export interface WindowNumbers {
  /**
   * Units per window. Range: 1 to 1,000,000,000, for `slidingWindowLog` 1 to 100,000, for `fixedWindow` 1 to
   * 9,007,199,254,740,991.
   */
  readonly limit: number;
  /** Length of the window. Range: `"1ms"` to `"366d"`. */
  readonly window: Duration;
}

/** The options of a policy with one window. */
export type WindowOptions<
  F extends Denials | Failures = Denials | Failures,
  R extends Refundable = Refundable,
> = WindowNumbers & PolicyOptions<F, R>;

/** The same, as data. */
export type WindowData = WindowNumbers & CommonOptions;

/** The option of every algorithm that has one window. */
export const WINDOW = { kind: "duration" } as const satisfies OptionKind;

export interface WindowValues {
  /** Microseconds. */
  readonly window: number;
}

/** A length in its largest whole unit, for keys: two texts are equal if and only if the lengths are. */
export function lengthText(us: number): string {
  const [unit, unitUs] = UNITS.find(([, each]) => us % each === 0)!;
  return `${us / unitUs}${unit}`;
}

const UNITS = [
  ["d", 86_400e6],
  ["h", 3_600e6],
  ["m", 60e6],
  ["s", 1e6],
  ["ms", 1e3],
  ["us", 1],
] as const;

export const windowNameParts = ({ window }: { readonly window?: unknown }): unknown[] => [window];

/** A lease lengthens the window, and so lowers the rate by the same share. */
const MAX_LEASE_SHARE = 0.1;

export const maxWindowLeaseUs: LeaseRules<unknown>["maxUs"] = ({ windowUs }) =>
  windowUs * MAX_LEASE_SHARE;

/** Fewer units in the same window, which lowers the rate as well. */
export function partOfWindow<Parameters>(
  quota: Quota<Parameters>,
  limit: number,
): Quota<Parameters> {
  return { ...quota, limit };
}
