import { slidingWindowLog } from "../algorithms/sliding-window-log.ts";
import type { Limiter } from "../decide/limiter-types.ts";
import { tokensIn } from "../gateway/config/tokens.ts";
import { buildLimiter } from "../limiter/limiter.ts";
import { checkSettings } from "../limiter/settings.ts";
import { Faults } from "../options/faults.ts";
import { setRecent } from "../runtime/lru.ts";
import { monotonicNow } from "../runtime/time.ts";
import type { Administered } from "./administered.ts";
import { bytesOf, hexOf } from "./hex.ts";
import { Refusal } from "./refusal.ts";

/** Failures that an address may have in a minute. */
const MAX_FAILURES = 10;

/** Addresses that an isolate remembers as refused. */
const MAX_KNOWN = 1_000;

/** The most characters of a token, and a few more that make a longer text a wrong one. */
const MAX_CHARACTERS = 300;

/** The sender of a request. */
export interface Caller {
  readonly role: "admin" | "read";
  /** For the audit: the name of the token, or the beginning of its digest. */
  readonly by: string;
}

/** Identifies the sender of a request; throws a Refusal without a valid token. */
export type Authorize = (request: Request, connection: string | undefined) => Promise<Caller>;

/**
 * Compiles the check of tokens. A right token costs no call of Redis, and works in spite of wrong ones from the same address:
 * many people share one. A wrong one counts as a failure of its address; after ten in a minute, others are refused there without
 * a call. That spares Redis, and does not keep tokens secret: their length does. A request without a token is no guess, and
 * counts as none: a page of any site can make a browser send it.
 */
export function compileAuthorize(gateway: Administered): Authorize {
  const failures = limitFailures(gateway);
  const refusedUntilMs = new Map<string, number>();
  const admins = tokensIn(gateway.adminToken);
  const readers = tokensIn(gateway.readToken);
  const named = [...gateway.namedTokens];
  /** Not a promise: on Workers the request that waits for it may end first. */
  let digests: readonly Uint8Array[] | undefined;

  return async function authorize(request, connection) {
    const field = request.headers.get("authorization");
    const token = /^Bearer +(\S+)$/i.exec(field ?? "")?.[1] ?? "";
    const [sent, known] = await Promise.all([
      digestOf(token),
      digests ??
        Promise.all([
          ...named.map(([, hex]) => bytesOf(hex)),
          ...[...admins, ...readers].map(digestOf),
        ]),
    ]);
    digests = known;
    let found: number | undefined;
    // All of them, so that the time does not say which one it is.
    for (const [i, digest] of known.entries()) if (isSame(sent, digest)) found ??= i;
    if (found !== undefined) {
      return {
        role: found < named.length + admins.length ? "admin" : "read",
        by: named[found]?.[0] ?? `admin:${hexOf(sent.subarray(0, 4))}`,
      };
    }
    if (field !== null) await countFailure(gateway.clientAddress(request, connection) ?? "unknown");
    throw new Refusal(
      401,
      'Send a token of this gateway: "Authorization: Bearer <token>".',
      {},
      { "WWW-Authenticate": "Bearer" },
    );
  };

  async function countFailure(address: string): Promise<void> {
    const knownMs = (refusedUntilMs.get(address) ?? 0) - monotonicNow();
    if (knownMs > 0) throw tooMany(knownMs);
    const askedAtMs = monotonicNow();
    const { allowed, retryAfterMs } = await failures.limit(address);
    if (allowed) return;
    setRecent(refusedUntilMs, address, askedAtMs + retryAfterMs, MAX_KNOWN);
    throw tooMany(retryAfterMs);
  }
}

function tooMany(retryAfterMs: number): Refusal {
  return new Refusal(
    429,
    "Too many requests of this address had a wrong token.",
    {},
    { "Retry-After": String(Math.ceil(retryAfterMs / 1000)) },
  );
}

function limitFailures({ store, prefix }: Administered): Limiter {
  const policies = [
    slidingWindowLog({ name: "admin-failures", limit: MAX_FAILURES, window: "1m" }),
  ];
  // Keys that no policy of the gateway can have.
  const settings = checkSettings(
    { policies, prefix: `${prefix}:admin`, denialCache: false as const },
    {},
    new Faults(),
  );
  return buildLimiter(store, settings, {});
}

async function digestOf(text: string): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(text.slice(0, MAX_CHARACTERS));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Takes as long for any two digests. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
  let difference = 0;
  for (const [i, byte] of one.entries()) difference |= byte ^ other[i]!;
  return difference === 0;
}
