import type { Faults } from "../options/faults.ts";
import {
  MANY_SOURCES,
  NO_PATH,
  PLAIN_SOURCE,
  SAME_SOURCE,
  SOURCES,
  SOURCES_TOGETHER,
  UNREACHABLE_SOURCE,
} from "../options/messages.ts";
import { readsAddress, checkClientIp, detectPlatform } from "./client-ip.ts";
import { EVERYBODY } from "./key-text.ts";
import { readIp, type ReadSource, type SourceContext } from "./source-reader.ts";
import { parseSource } from "./source-text.ts";
import type { CompileSources } from "./source.ts";

/** Each source is read with each request, and compared with all before it when it is compiled. */
const MAX_SOURCES = 16;

/** Joins the parts of an identity. No part has a comma, so no two lists of parts give the same text. */
const JOINT = ",";

interface Choice {
  /** One word for each of its sources, equal for equal ones; empty after a fault. */
  readonly parts: ReadonlySet<string>;
  readonly read: ReadSource;
}

/** Uses the first source present in a request. An inner list is present if all of its sources are. */
export const compileSources: CompileSources = (
  sources,
  { clientIp, segments, kinds, verifies },
  path,
  faults,
) => {
  if (sources === EVERYBODY) return () => EVERYBODY;
  if (!Array.isArray(sources) || sources.length === 0) {
    faults.add(path, sources, SOURCES);
    return () => undefined;
  }
  if (sources.some((source) => isLong(source)) || isLong(sources)) {
    faults.add(path, sources.length, MANY_SOURCES, MAX_SOURCES);
    return () => undefined;
  }
  const trusted = readsAddress(sources)
    ? checkClientIp(clientIp, "clientIp", faults)
    : (clientIp ?? detectPlatform());
  const known = { trusted, segments, kinds, verifies };
  // Array.from visits the holes of a list, map() does not.
  const choices = Array.from(sources, (source: unknown, index) =>
    compileChoice(source, known, `${path}[${index}]`, faults),
  );
  checkReachable(sources, choices, path, faults);
  const readers = choices.map(({ read }) => read);
  return function identify(data) {
    for (const read of readers) {
      const identity = read(data);
      if (identity !== undefined) return identity;
    }
    return undefined;
  };
};

function isLong(source: unknown): boolean {
  return Array.isArray(source) && source.length > MAX_SOURCES;
}

function compileChoice(
  source: unknown,
  known: SourceContext,
  path: string,
  faults: Faults,
): Choice {
  const before = faults.list.length;
  const parts = new Set<string>();
  const compile = (single: unknown, at: string): ReadSource => {
    const parsed = parseSource(single, at, faults);
    if (parsed === undefined) return () => undefined;
    const source = `${parsed.kind}:${parsed.name}`;
    if (parts.has(source)) faults.add(at, single, SAME_SOURCE);
    parts.add(source);
    const compile = parsed.kind === "ip" ? readIp : known.kinds?.[parsed.kind];
    if (compile) return compile(parsed.name, known, at, faults);
    if (parsed.kind === "path") faults.add(at, single, NO_PATH);
    else faults.add(at, single, PLAIN_SOURCE, parsed);
    return () => undefined;
  };
  if (Array.isArray(source) && source.length === 0) faults.add(path, source, SOURCES_TOGETHER);
  const read = Array.isArray(source)
    ? together(Array.from(source, (each: unknown, i) => compile(each, `${path}[${i}]`)))
    : compile(source, path);
  // A faulty choice has no consequences.
  return { parts: faults.list.length > before ? new Set() : parts, read };
}

/** Reads several sources as one identity; none if one of them is missing. */
function together(readers: readonly ReadSource[]): ReadSource {
  return (data) => {
    const parts: (string | Promise<string>)[] = [];
    for (const read of readers) {
      const text = read(data);
      if (text === undefined) return undefined;
      parts.push(text);
    }
    return Promise.all(parts).then((texts) => texts.join(JOINT));
  };
}

/** Rejects a choice that is only present if an earlier one is, which is then used instead: the same one, or more parts. */
function checkReachable(
  sources: readonly unknown[],
  choices: readonly Choice[],
  path: string,
  faults: Faults,
): void {
  choices.forEach(({ parts }, index) => {
    const hider = choices
      .slice(0, index)
      .findIndex(
        (earlier) =>
          earlier.parts.size > 0 && [...earlier.parts].every((source) => parts.has(source)),
      );
    if (hider === -1) return;
    faults.add(`${path}[${index}]`, sources[index], UNREACHABLE_SOURCE, `${path}[${hider}]`);
  });
}
