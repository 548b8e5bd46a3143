/** More levels than a document or an answer has: walking through a value calls itself as often. */
export const MAX_DEPTH = 64;

export function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null ? Object.values(each) : [],
    );
  }
  return level.length === 0;
}
