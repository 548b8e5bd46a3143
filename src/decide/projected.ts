import type { Row } from "../algorithms/model.ts";
import type { CompiledPolicy } from "../policy/compile.ts";

/**
 * The numbers of the store's last answer about a policy, less units that it does not include; where all of its units have
 * come back, those of the other units alone. `remaining` is below 0 where they exceed the limit.
 *
 * @param last `undefined` if there is no answer
 * @param elapsedUs since the last answer
 */
export function projected(
  { limit, parameters, implementation }: CompiledPolicy,
  last: Row | undefined,
  units: number,
  elapsedUs: number,
  nowUs: number,
): Pick<Row, "remaining" | "resetAfterUs"> {
  const { remaining, resetAfterUs } = last ?? { remaining: limit, resetAfterUs: 0 };
  const leftUs = resetAfterUs - elapsedUs;
  if (leftUs > 0) return { remaining: remaining - units, resetAfterUs: leftUs };
  const request = { nowUs, operation: "charge", cost: units, limit, parameters } as const;
  const row = implementation.model(undefined, request);
  return { remaining: limit - units, resetAfterUs: row.resetAfterUs };
}
