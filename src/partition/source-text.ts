import type { Faults } from "../options/faults.ts";
import { didYouMean, nearest } from "../options/unknown-options.ts";

/** Where a part of an identity is read from. */
export type SingleSource =
  /** The client's address; IPv6 by its /64. */
  | "ip"
  /** The network of the client's address: its /24, of IPv6 its /48. */
  | "subnet"
  /** The autonomous system of the client's address, where the platform says it. */
  | "asn"
  /** The country of the client's address, where the platform says it. */
  | "country"
  /** A header of the request. */
  | `header:${string}`
  /** A cookie of the request. */
  | `cookie:${string}`
  /** A parameter of the query. */
  | `query:${string}`
  /** The value of a `:name` segment of the rule's path. */
  | `path:${string}`;

/** A source, taken apart. */
export interface ParsedSource {
  readonly kind: string;
  /** Of a header in lower case; empty for kinds without a name. */
  readonly name: string;
}

/** The kinds without a name. */
const BARE = ["ip", "subnet", "asn", "country"];

/** The kinds with a name: what a name is made of, and an example. */
const NAMED: Readonly<Record<string, { readonly name: string; readonly example: string }>> = {
  header: { name: "[!#$%&'*+.^_`|~0-9A-Za-z-]+", example: "x-api-key" },
  // As headers, but without `%`: some origins decode the names of cookies.
  cookie: { name: "[!#$&'*+.^_`|~0-9A-Za-z-]+", example: "session" },
  query: { name: "[.~\\w-]+", example: "key" },
  path: { name: "[\\w-]+", example: "id" },
};

const named = Object.entries(NAMED);

/** A source as data. */
export const SOURCE = new RegExp(
  `^(?:${[...BARE, ...named.map(([kind, { name }]) => `${kind}:${name}`)].join("|")})$`,
);

const KINDS = [...BARE, ...Object.keys(NAMED)];

const SOURCE_REMEDY = `Use ${BARE.map((kind) => `"${kind}"`).join(", ")}, or ${named
  .map(([kind, { example }]) => `"${kind}:${example}"`)
  .join(", ")}.`;

const NO_LIST_REMEDY = "Name a source: an inner list holds no further lists.";

/** Whether one of the sources needs to know who is trusted with the client's address. */
export function readsAddress(sources: unknown): boolean {
  const each: readonly unknown[] = Array.isArray(sources) ? sources.flat() : [];
  return each.some((source) => source === "ip" || source === "subnet");
}

/** Takes a source apart; adds a fault and returns `undefined` if it is none. */
export function parseSource(
  source: unknown,
  path: string,
  faults: Faults,
): ParsedSource | undefined {
  if (typeof source !== "string") {
    const isList = Array.isArray(source);
    faults.add(path, source, isList ? NO_LIST_REMEDY : SOURCE_REMEDY);
    return undefined;
  }
  const [, kind = "", name = ""] = /^([^:]*):?([^]*)$/.exec(source)!;
  if (SOURCE.test(source)) return { kind, name: kind === "header" ? name.toLowerCase() : name };
  faults.add(path, source, remedyFor(source, kind, name));
  return undefined;
}

function remedyFor(source: string, kind: string, name: string): string {
  if (source === "*") {
    return 'Give "*" alone, without a list: it counts everybody together, whatever else a request carries.';
  }
  const known = Object.hasOwn(NAMED, kind) ? NAMED[kind] : undefined;
  if (known === undefined) return didYouMean(nearest(kind, KINDS)) + SOURCE_REMEDY;
  return name === ""
    ? `Say which one, such as "${kind}:${known.example}".`
    : `Use only the characters ${known.name.slice(0, -1)} in its name, such as "${kind}:${known.example}".`;
}
