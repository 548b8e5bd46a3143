import { UNKNOWN_SEGMENT } from "../../options/messages.ts";
import { decode, foldCase } from "../../partition/decode.ts";
import { oneValue } from "../../partition/one-value.ts";
import type { NamedSegments, PathReadings, ReadSegment } from "../../partition/request-data.ts";
import { INNER_SLASH, ROUNDS, type Segments } from "./path.ts";
import { compileRouter, type Found, parsePattern } from "./router.ts";
import { compileSought } from "./sought.ts";

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
  const { find } = compileRouter([pattern]);
  const { head, tail = [], isOpen } = parsePattern(pattern);
  const inHead = positionsOf(name, head);
  const inTail = positionsOf(name, tail);
  const sought = compileSought([tail.map(foldCase)]);

  /** The possible starts of the tail: a closed one ends the path, an open one may stand at several places. */
  function startsIn(path: Segments): readonly number[] {
    if (!isOpen) return [path.length - tail.length];
    const starts: number[] = [];
    sought.search(path, new Map([[head.length, [0]]]), (_, end) => starts.push(end - tail.length));
    return starts;
  }

  function* valuesIn(readings: PathReadings): Iterable<string> {
    for (const path of readings) {
      const found: Found = new Set();
      find(path, found);
      if (found.size === 0) continue;
      for (const at of inHead) yield path[at]!;
      if (inTail.length === 0) continue;
      for (const start of startsIn(path)) for (const at of inTail) yield path[start + at]!;
    }
  }

  return (readings) => oneValue(valuesIn(readings), shortest);
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
