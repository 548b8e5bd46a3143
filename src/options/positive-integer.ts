import type { Faults } from "./faults.ts";

/** The value if it is a whole number from 1 to `max`; otherwise adds a fault and returns `undefined`. */
export function checkPositiveInteger(
  value: unknown,
  max: number,
  path: string,
  faults: Faults,
  hint = "",
): number | undefined {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max) {
    return value as number;
  }
  faults.add(path, value, integerRemedy(max, hint));
  return undefined;
}

/** @param hint continues the sentence, such as `, or a segmented-window for more` */
export function integerRemedy(max: number, hint = ""): string {
  return `Give a whole number from 1 to ${max}${hint}.`;
}
