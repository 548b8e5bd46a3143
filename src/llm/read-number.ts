import { LONGEST } from "./json-visitor.ts";

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The kept beginning of a number that is longer than `LONGEST`. */
const DIGITS = /^\d[\d.e+-]*$/i;

/** The number that a text spells, times this factor and rounded up; `undefined` if it spells no number from 0. */
export function numberIn(text: string, isText: boolean, factor = 1): number | undefined {
  if (text.length > LONGEST) return !isText && DIGITS.test(text) ? Infinity : undefined;
  const number = NUMBER.test(text) ? Number(text) * factor : -1;
  // Adding 0 turns -0 into 0.
  return number < 0 ? undefined : Math.ceil(number) + 0;
}
