import type { Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";

/**
 * The numbers of the store's last answer about a policy, less units that it does not include; where all of its units have
 * come back, those of the other units alone, which then count for a whole window from now at most. `remaining` is below 0 where
 * they exceed the limit.
 *
 * @param last `undefined` if there is no answer
 * @param elapsedUs since the last answer
 */
export function projected(
  policy: CompiledPolicy,
  last: Row | undefined,
  units: number,
  elapsedUs: number,
  nowUs: number,
): Pick<Row, "remaining" | "resetAfterUs"> {
  const { limit } = policy;
  const { remaining, resetAfterUs } = last ?? { remaining: limit, resetAfterUs: 0 };
  const leftUs = resetAfterUs - elapsedUs;
  if (leftUs > 0) return { remaining: remaining - units, resetAfterUs: leftUs };
  return {
    remaining: limit - units,
    resetAfterUs: units === 0 ? 0 : wholeAfterUs(policy, units, nowUs),
  };
}

/** Microseconds until a limit of which only these units are used is whole again: at most a window. */
function wholeAfterUs(
  { windowUs, parameters }: CompiledPolicy,
  units: number,
  nowUs: number,
): number {
  const { intervalUs, divisor, aligned, endsUs } = parameters;
  if (intervalUs !== undefined) return Math.ceil((units * intervalUs) / divisor!);
  if (aligned === 1) return windowUs - (nowUs % windowUs);
  return endsUs === undefined ? windowUs : endsUs - nowUs;
}
