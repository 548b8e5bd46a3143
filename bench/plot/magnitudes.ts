/** The powers of ten between which all values are, the first and the last ones included. */
export function magnitudes(values: readonly number[]): number[] {
  const exponents = values.filter((value) => value > 0).map((value) => Math.log10(value));
  const first = exponents.length > 0 ? Math.floor(Math.min(...exponents)) : 0;
  const last = Math.max(first + 1, ...exponents.map((exponent) => Math.ceil(exponent)));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}
