import type { Faults } from "../options/faults.ts";
import { checkClientIp, type ClientIp, clientIp } from "./client-ip.ts";
import { oneSpelling } from "./credential.ts";
import { hash } from "./partition-key.ts";

/** Where an identity is read from: a request header, or the client's address. */
export type Source = `header:${string}` | "ip";

/** Reads the identity of a request; `undefined` if it has none. */
export type Identify = (
  headers: Headers,
  bindings?: unknown,
) => string | undefined | Promise<string | undefined>;

/** A source as data. */
export const SOURCE = /^(?:ip|header:[!#$%&'*+.^_`|~0-9A-Za-z-]+)$/;
export const SOURCE_REMEDY = 'Use "ip" or "header:" and a header\'s name.';
export const SOURCE_LIST_REMEDY =
  'Give a list of sources, first choice first: ["header:x-api-key", "ip"].';

const HEADER = /^header:([!#$%&'*+.^_`|~0-9a-z-]+)$/i;

/**
 * Compiles sources into one function that uses the first source present in a request.
 *
 * A header's value is hashed, because it may be a secret and the client chooses it freely. It is prefixed with the
 * header's name, so that a user id never equals an API key. A credential is normalised first; several of them in one
 * header count as none.
 */
export function compileSources(
  sources: unknown,
  trusted: ClientIp | undefined,
  path: string,
  faults: Faults,
): Identify {
  if (!Array.isArray(sources) || sources.length === 0) {
    faults.add(path, sources, SOURCE_LIST_REMEDY);
    return () => undefined;
  }
  // Array.from visits the holes of a list, map() does not.
  const readers = Array.from(sources, (source: unknown, index) => {
    if (source === "ip") return ipReader(checkClientIp(trusted, "clientIp", faults));
    const name = typeof source === "string" ? HEADER.exec(source)?.[1]?.toLowerCase() : undefined;
    if (name === undefined) {
      faults.add(`${path}[${index}]`, source, SOURCE_REMEDY);
      return () => undefined;
    }
    return (headers: Headers) => {
      const value = oneSpelling(name, headers.get(name)?.trim() ?? "");
      return value ? hash(value).then((hashed) => `${name}:${hashed}`) : undefined;
    };
  });
  return function identify(headers, bindings) {
    for (const read of readers) {
      const identity = read(headers, bindings);
      if (identity !== undefined) return identity;
    }
    return undefined;
  };
}

function ipReader(trusted: ClientIp): Identify {
  return (headers, bindings) => {
    const ip = clientIp(headers, trusted, bindings);
    return ip === undefined ? undefined : `ip:${ip}`;
  };
}
