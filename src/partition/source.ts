import type { Faults } from "../errors.ts";
import { type ClientIp, clientIp, detectPlatform } from "./client-ip.ts";
import { hash } from "./partition-key.ts";

/** Where an identity is read from: a request header, or the client's address. */
export type Source = `header:${string}` | "ip";

/** Reads who is asking; `undefined` when the request does not say. */
export type Identify = (headers: Headers) => string | undefined | Promise<string | undefined>;

const HEADER = /^header:([!#$%&'*+.^_`|~0-9a-z-]+)$/i;

/**
 * Compiles sources into one function that takes the first of them that a request carries.
 *
 * A header's value is hashed: it may be a secret, and is whatever the client chose to send. It is marked with the
 * header's name, so that a user id never meets an API key.
 */
export function compileSources(
  sources: unknown,
  trusted: ClientIp | undefined,
  path: string,
  faults: Faults,
): Identify {
  if (!Array.isArray(sources) || sources.length === 0) {
    faults.add(
      path,
      sources,
      'Give a list of sources, first choice first: ["header:x-api-key", "ip"].',
    );
    return () => undefined;
  }
  const readers = sources.map((source: unknown, index) => {
    if (source === "ip") return ipReader(trusted, faults);
    const name = typeof source === "string" ? HEADER.exec(source)?.[1]?.toLowerCase() : undefined;
    if (name === undefined) {
      faults.add(`${path}[${index}]`, source, 'Use "ip" or "header:" and a header\'s name.');
      return () => undefined;
    }
    return (headers: Headers) => {
      const value = headers.get(name)?.trim();
      return value ? hash(value).then((hashed) => `${name}:${hashed}`) : undefined;
    };
  });
  return function identify(headers) {
    for (const read of readers) {
      const identity = read(headers);
      if (identity !== undefined) return identity;
    }
    return undefined;
  };
}

function ipReader(trusted: ClientIp | undefined, faults: Faults): Identify {
  const from = trusted ?? detectPlatform();
  if (from === undefined) {
    faults.add(
      "clientIp",
      trusted,
      'Say who is trusted with the client\'s address: "cloudflare", "vercel" or { trustedHops: 1 }.',
    );
    return () => undefined;
  }
  const hops = typeof from === "object" ? from?.trustedHops : 1;
  if (
    !(from === "cloudflare" || from === "vercel" || typeof from === "object") ||
    !(Number.isInteger(hops) && hops >= 1 && hops <= 32)
  ) {
    faults.add(
      "clientIp",
      from,
      'Use "cloudflare", "vercel" or { trustedHops: 1 }, up to 32 hops.',
    );
    return () => undefined;
  }
  return (headers) => {
    const ip = clientIp(headers, from);
    return ip === undefined ? undefined : `ip:${ip}`;
  };
}
