import type { HttpAnswer } from "./http.ts";

/** A header field in which a client can send a value to be counted as another client. */
export interface HeaderProbe {
  readonly header: string;
  /** Whether proxies use it for the client's address. */
  readonly isAddress: boolean;
  /** Three answers to one value. */
  readonly same: readonly HttpAnswer[];
  /** The answers to two other values, right after them. */
  readonly others: readonly HttpAnswer[];
}

/** Another spelling of the limited path. */
export interface SpellingProbe {
  readonly path: string;
  /** A path without the doubt: a rule covers both or none. Missing where no rule may cover the spelling. */
  readonly control?: { readonly path: string; readonly answer: HttpAnswer };
  readonly answer: HttpAnswer;
}

export interface GatewayFacts {
  readonly url: URL;
  readonly path: string;
  readonly live: HttpAnswer;
  readonly health: HttpAnswer;
  /** The answer of the admin API to a request without a token. */
  readonly admin: HttpAnswer;
  /** The same at the address of `ADMIN_HOST`, where that is known. */
  readonly ownAdmin?: HttpAnswer | undefined;
  /** The counts of the last hour; `undefined` without a token. */
  readonly stats?: HttpAnswer | undefined;
  /** The limited path, twice. */
  readonly limited: readonly HttpAnswer[];
  readonly headers: readonly HeaderProbe[];
  readonly spellings: readonly SpellingProbe[];
  /** Spellings that no client has a reason to send. */
  readonly hostile: readonly SpellingProbe[];
}

export interface UnreachableGateway {
  readonly url: URL;
  readonly reason: string;
}

/** By the names of policies: the units left of each, and -1 where it denies. Empty without RateLimit fields. */
export function quotasOf({ status, fields }: HttpAnswer): ReadonlyMap<string, number> {
  const items = (fields.get("ratelimit") ?? "").matchAll(/"([^"]*)"\s*;\s*r=(\d+)/g);
  const left = new Map(Array.from(items, ([, name, r]) => [name!, Number(r)]));
  const nearest = fields.get("x-ratelimit-remaining");
  if (left.size === 0 && nearest !== undefined) left.set("(nearest its limit)", Number(nearest));
  if (status !== 429) return left;
  return new Map(Array.from(left, ([name, r]) => [name, r === 0 ? -1 : r]));
}

export function isServed({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}
