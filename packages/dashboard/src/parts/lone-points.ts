/** Indices of values that no line reaches, because neither neighbour has one. */
export function lonePoints(values: ArrayLike<number | null | undefined>): number[] {
  const has = (at: number) => typeof values[at] === "number";
  const isLone = (at: number) => has(at) && !has(at - 1) && !has(at + 1);
  return Array.from(values, (_, at) => at).filter(isLone);
}
