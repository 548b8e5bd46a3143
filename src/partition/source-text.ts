import type { Faults } from "../options/faults.ts";
import {
  EVERYBODY_IN_LIST,
  SOURCE as SOURCE_FAULT,
  SOURCE_IN_LIST,
  SOURCE_NAME,
  SOURCE_WITHOUT_NAME,
} from "../options/messages.ts";
import { nearest } from "../options/unknown-options.ts";
import { CLAIM_NAME } from "./claims.ts";

/** The source of a part of an identity. */
export type SingleSource =
  /** The client's address; IPv6 by its /64. */
  | "ip"
  /** The network of the client's address: its /24, of IPv6 its /48. */
  | "subnet"
  /** The autonomous system of the client's address, if the platform reports it. */
  | "asn"
  /** The country of the client's address, if the platform reports it. */
  | "country"
  /** A header of the request. */
  | `header:${string}`
  /** A cookie of the request. */
  | `cookie:${string}`
  /** A parameter of the query. */
  | `query:${string}`
  /** A claim of the request's verified token. */
  | `jwt:${string}`
  /** The value of a `:name` segment of the rule's path. */
  | `path:${string}`;

/** A source, taken apart. */
export interface ParsedSource {
  readonly kind: string;
  /** The name of a header is in lower case. Empty for kinds without a name. */
  readonly name: string;
}

/** The kinds without a name. */
const BARE = ["ip", "subnet", "asn", "country"];

/** The kinds with a name: the pattern of the name, and an example. */
const NAMED: Readonly<Record<string, { readonly name: string; readonly example: string }>> = {
  header: { name: "[!#$%&'*+.^_`|~0-9A-Za-z-]+", example: "x-api-key" },
  // As headers, but without `%`: some origins decode the names of cookies.
  cookie: { name: "[!#$&'*+.^_`|~0-9A-Za-z-]+", example: "session" },
  query: { name: "[.~\\w-]+", example: "key" },
  path: { name: "[\\w-]+", example: "id" },
  jwt: { name: CLAIM_NAME, example: "sub" },
};

const named = Object.entries(NAMED);

/** A source as data. */
export const SOURCE = new RegExp(
  `^(?:${[...BARE, ...named.map(([kind, { name }]) => `${kind}:${name}`)].join("|")})$`,
);

const KINDS = [...BARE, ...Object.keys(NAMED)];

const EXAMPLES = [...BARE, ...named.map(([kind, { example }]) => `${kind}:${example}`)];

/** Takes a source apart; adds a fault and returns `undefined` if the value is not a source. */
export function parseSource(
  source: unknown,
  path: string,
  faults: Faults,
): ParsedSource | undefined {
  if (typeof source !== "string") {
    if (Array.isArray(source)) faults.add(path, source, SOURCE_IN_LIST);
    else faults.add(path, source, SOURCE_FAULT, { examples: EXAMPLES });
    return undefined;
  }
  const [, kind = "", name = ""] = /^([^:]*):?([^]*)$/.exec(source)!;
  if (SOURCE.test(source)) return { kind, name: kind === "header" ? name.toLowerCase() : name };
  const known = Object.hasOwn(NAMED, kind) ? NAMED[kind] : undefined;
  if (source === "*") {
    faults.add(path, source, EVERYBODY_IN_LIST);
  } else if (known === undefined) {
    faults.add(path, source, SOURCE_FAULT, { meant: nearest(kind, KINDS), examples: EXAMPLES });
  } else {
    const example = `${kind}:${known.example}`;
    if (name === "") faults.add(path, source, SOURCE_WITHOUT_NAME, example);
    else faults.add(path, source, SOURCE_NAME, { characters: known.name.slice(0, -1), example });
  }
  return undefined;
}
