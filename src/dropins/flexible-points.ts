import { TidegateError } from "../options/errors.ts";
import { microsecondsOf } from "./numbers.ts";

/** As many as are counted, in one call and in sum. */
const MOST_POINTS = 2 ** 52;

/**
 * The points of a call: a whole number, or a text that is one above 0, as the package's limiters take it.
 *
 * @throws TidegateError `ERR_COST` for all others
 */
export function checkedPoints(points: unknown): number {
  const isText = typeof points === "string" && /^[1-9]\d*$/.test(points);
  const number = isText ? Number(points) : (points as number);
  if (Number.isSafeInteger(number)) return Math.max(-MOST_POINTS, Math.min(number, MOST_POINTS));
  const shown = Object(points) === points ? "an object" : String(points);
  throw new TidegateError("ERR_COST", `The points must be a whole number, not ${shown}.`);
}

/** How long points count, in microseconds: 0 seconds are for ever, and so is what is no time. */
export function windowOf(seconds: number | undefined, otherwise: number): number {
  const own = Number(seconds);
  return microsecondsOf((own >= 0 ? own : otherwise) * 1000) || microsecondsOf(Infinity);
}
