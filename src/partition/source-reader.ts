import type { Faults } from "../options/faults.ts";
import { NO_JWT, NO_PATH, UNKNOWN_FACT_SOURCE } from "../options/messages.ts";
import { claimText } from "./claims.ts";
import { addressReader, type ClientIp, clientIp } from "./client-ip.ts";
import { oneSpelling } from "./credential.ts";
import { foldCase } from "./decode.ts";
import { subnetOf } from "./ip-address.ts";
import { hash } from "./key-text.ts";
import { foldValue, oneValue } from "./one-value.ts";
import { platformFacts, tellsFacts } from "./platform-facts.ts";
import { queriesOf } from "./queries.ts";
import type { NamedSegments, RequestData } from "./request-data.ts";
import { pairsNamed } from "./spelled-names.ts";

/** The context in which sources are compiled. */
export interface SourceContext {
  /** The trusted source of the client's address; checked if a source needs the address. */
  readonly trusted: ClientIp | undefined;
  readonly segments: NamedSegments | undefined;
  readonly kinds?: Readonly<Record<string, CompileSource>> | undefined;
  /** Whether tokens are verified here. */
  readonly verifies?: boolean | undefined;
}

/** Reads a part of an identity; `undefined`, and never a promise of it, if the request does not have it. */
export type ReadSource = (data: RequestData) => string | undefined | Promise<string>;

/** Compiles a source of one kind into its reader; adds a fault if it cannot be read here. */
export type CompileSource = (
  name: string,
  known: SourceContext,
  path: string,
  faults: Faults,
) => ReadSource;

export const readIp: CompileSource = (_name, { trusted }) => addressReader(trusted!);

export const readHeader: CompileSource = (name) =>
  once(name, ({ request }) =>
    hashed(name, oneSpelling(name, request.headers.get(name)?.trim() ?? "")),
  );

// Two colons, of which a header's identity has one: a header that is called "cookie" stays apart.
export const readCookieOf: CompileSource = (name) => {
  const read = readCookie(name);
  const prefix = `cookie:${name}`;
  return once(prefix, ({ request }) => hashed(prefix, read(request.headers.get("cookie"))));
};

export const readQueryOf: CompileSource = (name) => {
  const read = readQuery(name);
  const prefix = `query:${name}`;
  return once(prefix, ({ request }) => hashed(prefix, read(request.url)));
};

export const readClaim: CompileSource = (name, { verifies }, path, faults) => {
  const prefix = `jwt:${name}`;
  if (!verifies) {
    faults.add(path, prefix, NO_JWT);
    return () => undefined;
  }
  return once(prefix, ({ claims }) => hashed(prefix, claimText(claims, name)));
};

export const readPath: CompileSource = (name, { segments }, path, faults) => {
  if (segments === undefined) {
    faults.add(path, `path:${name}`, NO_PATH);
    return () => undefined;
  }
  const read = segments.reader(name, path, faults);
  return ({ readings = [] }) => hashed(`path:${name}`, read(readings));
};

/** Reads a source once for each request, however many policies count by it. Not for segments, which depend on the rule's path. */
function once(name: string, read: ReadSource): ReadSource {
  return (data) => {
    const { known } = data;
    if (!known) return read(data);
    if (known.has(name)) return known.get(name);
    const value = read(data);
    known.set(name, value);
    return value;
  };
}

/**
 * A value is hashed, because it may be a secret and the client chooses it freely. Its source is its prefix, so that a
 * user id never equals an API key.
 */
function hashed(prefix: string, value: string | undefined): Promise<string> | undefined {
  return value ? hash(value).then((text) => `${prefix}:${text}`) : undefined;
}

export const readSubnet: CompileSource =
  (_name, { trusted }) =>
  ({ request, connection }) => {
    const ip = clientIp(request.headers, trusted!, connection);
    return ip === undefined ? undefined : `subnet:${subnetOf(ip)}`;
  };

export const readAsn: CompileSource = (_name, ...known) => factReader("asn", ...known);
export const readCountry: CompileSource = (_name, ...known) => factReader("country", ...known);

function factReader(
  kind: "asn" | "country",
  { trusted }: SourceContext,
  path: string,
  faults: Faults,
): ReadSource {
  if (trusted === undefined || !tellsFacts(trusted)) {
    faults.add(path, kind, UNKNOWN_FACT_SOURCE);
    return () => undefined;
  }
  return ({ request }) => {
    const fact = platformFacts(request, trusted)[kind];
    return fact === undefined ? undefined : `${kind}:${fact}`;
  };
}

/** The characters that RFC 6265 allows in a value. Some origins take a backslash for an escape. */
const VALUE = /^[!#-+\--:<-[\]-~]*$/;

/**
 * Compiles the function that reads a cookie from the `Cookie` field. Several different values count as none
 * (one-value.ts), and so does a value that origins read differently. A value keeps its case: cookies are secrets that
 * origins made.
 *
 * @example
 * readCookie("session")("theme=dark; session=a") // "a"
 */
export function readCookie(cookie: string): (field: string | null) => string | undefined {
  const findPairs = pairsNamed([cookie], ";,");

  return (field) => {
    if (!field) return undefined;
    const values: string[] = [];
    for (const { before, value, after } of findPairs(field)) {
      const bare = value.trim().replace(/^"([^]*)"$/, "$1");
      // Some origins separate cookies by commas, too, and some platforms join several Cookie fields by one; to others a
      // comma is part of a value.
      if (before === "," || after === "," || !VALUE.test(bare)) return undefined;
      values.push(bare);
    }
    return oneValue(values, foldValue);
  };
}

/**
 * Compiles the function that reads a query parameter from an address, in small letters, because some origins ignore the
 * case of a value. Several different values count as none (one-value.ts).
 *
 * @example
 * readQuery("user")("https://example.com/?user=Ann") // "ann"
 */
export function readQuery(parameter: string): (url: string) => string | undefined {
  const findPairs = pairsNamed([parameter], "&;");

  return (url) => {
    const { query, others } = queriesOf(url);
    if (query === "" || others.some((text) => findPairs(text).length > 0)) return undefined;
    const values: string[] = [];
    for (const { before, value, after } of findPairs(query)) {
      // To some origins a semicolon is a separator, to others it is part of this value.
      if (before !== ";" && after === ";") return undefined;
      values.push(value);
    }
    return oneValue(values, (value) => foldCase(foldValue(value)));
  };
}
