/** Three digits say more than the noise allows already. */
export function significant(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= 100) return Math.round(value).toString();
  return String(Number(value.toPrecision(3)));
}
