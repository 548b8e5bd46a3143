import type { Segments } from "./path.ts";
import { matches, wildcardOf } from "./wildcard.ts";

/** Lists of segments that may stand anywhere in a path. */
export interface Sought {
  /**
   * Looks for all lists at once.
   *
   * @param starts the lists that may begin from a place on, by the place
   * @param found called with a list and the place behind it, for each place where it ends
   * @returns how many steps it took
   */
  search(
    path: Segments,
    starts: ReadonlyMap<number, readonly number[]>,
    found: (list: number, end: number) => void,
  ): number;
}

/**
 * Compiles lists of segments, each of which is text, `:name` for any, or text with a `*`. Each segment of a list is a bit,
 * which is set where the list matches up to there: a segment of a path takes a few operations, whatever the lists.
 */
export function compileSought(lists: readonly Segments[]): Sought {
  const places = lists.flatMap((list, of) =>
    list.map((segment, i) => ({
      segment,
      of,
      isFirst: i === 0,
      isLast: i === list.length - 1,
      isName: segment.startsWith(":"),
      wildcard: segment.includes("*") ? wildcardOf(segment) : undefined,
    })),
  );
  type Place = (typeof places)[number];
  const words = Math.ceil(places.length / 32);

  function bitsOf(isSet: (place: Place) => boolean): Int32Array {
    const bits = new Int32Array(words);
    for (const [at, place] of places.entries()) if (isSet(place)) bits[at >> 5]! |= 1 << (at & 31);
    return bits;
  }
  const firsts = bitsOf(({ isFirst }) => isFirst);
  const lasts = bitsOf(({ isLast }) => isLast);
  const names = bitsOf(({ isName }) => isName);
  const wildcards = bitsOf(({ wildcard }) => wildcard !== undefined);
  const beginnings = lists.map((_, list) => bitsOf(({ of, isFirst }) => of === list && isFirst));
  const literals = new Map<string, Int32Array>();
  for (const { segment, isName, wildcard } of places) {
    if (isName || wildcard) continue;
    literals.set(
      segment,
      bitsOf((other) => other.isName || other.segment === segment),
    );
  }

  return {
    search(path, starts, found) {
      const open = new Int32Array(words);
      const matched = new Int32Array(words);
      let steps = 0;
      for (let at = Math.min(...starts.keys()); at < path.length; at++) {
        for (const list of starts.get(at) ?? []) {
          for (let word = 0; word < words; word++) open[word]! |= beginnings[list]![word]!;
        }
        const segment = path[at]!;
        const fitting = literals.get(segment) ?? names;
        /** The last bit of a word stands before the first one of the next. */
        let carried = 0;
        steps += words;
        for (let word = 0; word < words; word++) {
          const before = matched[word]!;
          const next = (((before << 1) | carried) & ~firsts[word]!) | open[word]!;
          carried = before >>> 31;
          let now = next & fitting[word]!;
          for (let left = next & wildcards[word]!; left !== 0; left &= left - 1) {
            steps++;
            if (matches(places[lowest(left, word)]!.wildcard!, segment)) now |= left & -left;
          }
          for (let left = now & lasts[word]!; left !== 0; left &= left - 1) {
            found(places[lowest(left, word)]!.of, at + 1);
          }
          matched[word] = now;
        }
      }
      return steps;
    },
  };
}

/** The place of the lowest bit of a word. */
function lowest(bits: number, word: number): number {
  return word * 32 + 31 - Math.clz32(bits & -bits);
}
