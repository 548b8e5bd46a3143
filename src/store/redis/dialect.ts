import { KEY_LOCKING } from "../../algorithms/scripts.generated.ts";

/** The kind of scripts that a Redis takes: on Upstash each begins with a line that every other server rejects. */
export type DialectName = "redis" | "upstash";

/** The dialect of one Redis, as far as it is known. */
export interface Dialect {
  /** The first line of every script; empty, or the one for Upstash. */
  firstLine: string;
}

/** Redis on Upstash, under its own name and under that of Vercel KV. */
const UPSTASH = /^https?:\/\/[^/]+\.(?:upstash\.io|kv\.vercel-storage\.com)(?:[:/]|$)/i;

/**
 * The dialect of the Redis at an address, by its host unless a name is given.
 *
 * @param url empty if it is not known
 */
export function dialectAt(url: string, name?: DialectName): Dialect {
  const isUpstash = name ? name === "upstash" : UPSTASH.test(url);
  return { firstLine: isUpstash ? KEY_LOCKING : "" };
}

/** Corrects the guess from the host's name by the first answer: any name can lead to Upstash. */
export function learnFrom({ headers }: Response, dialect: Dialect): void {
  // Upstash answers each request with this field.
  if (headers.has("upstash-sync-token")) dialect.firstLine = KEY_LOCKING;
}
