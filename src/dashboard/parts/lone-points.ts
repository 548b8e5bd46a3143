/** Indices of values that no line reaches, because neither neighbour has one. */
export function lonePoints(values: readonly (number | null | undefined)[]): number[] {
  const has = (at: number) => typeof values[at] === "number";
  return values.flatMap((_, at) => (has(at) && !has(at - 1) && !has(at + 1) ? [at] : []));
}
