import { significant } from "../../support/significant.ts";

export const count = (value: number) => value.toLocaleString("en");
export const ms = (value: number) => `${significant(value)} ms`;
export const percent = (value: number) => `${significant(100 * value)} %`;

/** For an axis or a sentence, where 13,000 ms are 13 s. */
export function duration(milliseconds: number): string {
  return milliseconds < 1000 ? ms(milliseconds) : `${significant(milliseconds / 1000)} s`;
}
