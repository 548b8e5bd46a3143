import {
  type Duration,
  type DurationRange,
  isDurationWithin,
  parseDuration,
} from "../../options/duration.ts";
import { TidegateError } from "../../options/errors.ts";

/** As the `ttl` of a concurrency policy. */
const TTL_RANGE: DurationRange = { min: "1s", max: "24h", example: "60s" };

/**
 * The time for which a hold keeps its slots, in microseconds. Default: each policy's `ttl`.
 *
 * @throws TidegateError `ERR_HOLD`
 */
export function ttlUsOf(ttl: Duration | undefined): number {
  if (ttl === undefined) return parseDuration(TTL_RANGE.max)!;
  if (isDurationWithin(ttl, TTL_RANGE)) return parseDuration(ttl)!;
  const { min, max, example } = TTL_RANGE;
  const shown = typeof ttl === "string" ? JSON.stringify(ttl) : typeof ttl;
  throw new TidegateError(
    "ERR_HOLD",
    `ttl must be a time with its unit from "${min}" to "${max}", such as "${example}", not ${shown}.`,
  );
}
