import type { Faults } from "./faults.ts";

/** Beyond it, products of a limit and a time would leave the 2^53 that Lua and JavaScript count exactly. */
export const MAX_LIMIT = 1_000_000_000;

/** A number that is whole and within its bounds; else a fault, and 1 to go on with. */
export function positiveInteger(
  value: unknown,
  most: number,
  path: string,
  faults: Faults,
  instead = "",
): number {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most) {
    return value as number;
  }
  faults.add(path, value, `Give a whole number from 1 to ${most}${instead}.`);
  return 1;
}
