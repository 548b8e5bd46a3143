import type { Faults } from "./faults.ts";
import { INTEGER } from "./messages.ts";

/** The value if it is a whole number from 1 to `max`; otherwise adds a fault and returns `undefined`. */
export function checkPositiveInteger(
  value: unknown,
  max: number,
  path: string,
  faults: Faults,
  hint?: string,
): number | undefined {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max) {
    return value as number;
  }
  faults.add(path, value, INTEGER, { max, hint });
  return undefined;
}
