/** Three digits say more than the noise allows already. */
export function significant(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= 100) return Math.round(value).toString();
  return String(Number(value.toPrecision(3)));
}

export const count = (value: number) => value.toLocaleString("en");
export const ms = (value: number) => `${significant(value)} ms`;
/** A share, of which 1 is all, as a percentage. */
export const percent = (share: number) => `${significant(100 * share)} %`;

/** For an axis or a sentence, where 13,000 ms are 13 s. */
export function duration(milliseconds: number): string {
  return milliseconds < 1000 ? ms(milliseconds) : `${significant(milliseconds / 1000)} s`;
}
