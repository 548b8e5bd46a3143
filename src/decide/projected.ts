import type { Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";

/**
 * The store's last answer about a policy, less the units taken since. Once the answer's own units are back, only the newer ones
 * count, for at most one window from now. `remaining` is below 0 if they exceed the limit.
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
