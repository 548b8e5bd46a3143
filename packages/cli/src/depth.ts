/** More levels than a document or an answer has: walking through a value calls itself as often. */
export const MAX_DEPTH = 64;

/** Whether a value has at most so many objects and lists inside each other. */
export function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const objects = level.filter(
      (each): each is object => typeof each === "object" && each !== null,
    );
    if (objects.length === 0) return true;
    level = objects.flatMap((each): unknown[] => Object.values(each));
  }
  return false;
}
