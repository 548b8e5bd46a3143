import { UNKNOWN_SEGMENT } from "../../options/messages.ts";
import { oneValue } from "../../partition/one-value.ts";
import type { NamedSegments, ReadSegment } from "../../partition/request-data.ts";
import { decode, foldCase, INNER_SLASH, ROUNDS, type Segments } from "./path.ts";
import { compileRouter, parsePattern } from "./router.ts";

/*
 * A value must not depend on how a client spells a path: with "/users/42", "/users/%34%32", "/users/42;a" and
 * "/users/42%3fa", an origin may be asked for the same user. Therefore a value is read from every reading that the rule
 * covers, in its shortest form: decoded, in small letters, without what an origin may cut off. If two readings still
 * differ, as those of "/users/42%2fa" do under "/users/:id/*", the value that the origin reads is unknown, and none of them
 * counts. Values that differ only in what an origin may ignore count together.
 */

/** The `:name` segments of a rule's path. A path that is not readable has every name: its own fault is enough. */
export function namedSegments(pattern: unknown): NamedSegments {
  if (typeof pattern !== "string") return { reader: () => () => undefined };
  const segments = pattern.split("/").filter((segment) => segment !== "");
  const names = segments.filter((segment) => segment.startsWith(":")).map((each) => each.slice(1));
  return {
    reader(name, path, faults) {
      if (names.includes(name)) return compileReader(pattern, name);
      faults.add(path, `path:${name}`, UNKNOWN_SEGMENT, { name, others: [...new Set(names)] });
      return () => undefined;
    },
  };
}

function compileReader(pattern: string, name: string): ReadSegment {
  const isCovered = compileMatch(pattern);
  const { head, tail = [], isOpen } = parsePattern(pattern);
  const inHead = positionsOf(name, head);
  const inTail = positionsOf(name, tail);
  const matchesTail = compileMatch(`/${tail.join("/")}`);

  /** The possible starts of the tail: a closed one ends the path, an open one may stand at several places. */
  function starts(path: Segments): readonly number[] {
    const last = path.length - tail.length;
    if (!isOpen) return [last];
    const all = Array.from({ length: last - head.length + 1 }, (_, i) => head.length + i);
    return all.filter((start) => matchesTail(path.slice(start, start + tail.length)));
  }

  function positions(path: Segments): readonly number[] {
    if (inTail.length === 0) return inHead;
    return inHead.concat(starts(path).flatMap((start) => inTail.map((at) => start + at)));
  }

  return (readings) => {
    const covered = readings.filter(isCovered);
    const values = covered.flatMap((path) => positions(path).map((at) => path[at]!));
    return oneValue([...new Set(values)].map(shortest));
  };
}

function compileMatch(pattern: string): (path: Segments) => boolean {
  const { find } = compileRouter([pattern]);
  return (path) => find(path).length > 0;
}

function positionsOf(name: string, segments: Segments): number[] {
  return segments.flatMap((segment, at) => (segment === `:${name}` ? [at] : []));
}

/**
 * The part of a value that all readings share: decoded like a path, without parameters and without characters that end
 * a path early.
 */
function shortest(value: string): string {
  let text = value.replaceAll(INNER_SLASH, "/");
  for (let round = 0; round < ROUNDS; round++) text = decode(text);
  return foldCase(text.replace(/[;?#][^]*/, "").trimEnd());
}
