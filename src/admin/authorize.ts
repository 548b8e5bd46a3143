import { slidingWindowLog } from "../algorithms/sliding-window-log.ts";
import type { Administered } from "../gateway/administered.ts";
import { buildLimiter, type Limiter } from "../limiter/limiter.ts";
import { checkSettings } from "../limiter/settings.ts";
import { Faults } from "../options/faults.ts";
import { monotonicNow } from "../runtime/clock.ts";
import { setRecent } from "../runtime/lru.ts";
import { hexOf } from "./hex.ts";
import { Refusal } from "./refusal.ts";

/** Failures that an address may have in a minute. */
const MAX_FAILURES = 10;

/** Addresses that an isolate remembers as refused. */
const MAX_KNOWN = 1_000;

/** The most characters of a token, and a few more that make a longer text a wrong one. */
const MAX_CHARACTERS = 300;

/** Who sends a request. */
export interface Caller {
  readonly role: "admin" | "read";
  /** For the audit: the token by the beginning of its digest. */
  readonly by: string;
}

/** Says who sends a request; throws a Refusal for anybody without a token. */
export type Authorize = (request: Request, bindings: unknown) => Promise<Caller>;

/**
 * Compiles who may ask. Every request costs the same, whatever its path and its token: three digests, and one question to
 * the limiter of failures. It takes a unit for a wrong token, and only looks for a right one: Redis puts both into one
 * order, so that a right token counts only if fewer than ten wrong ones came before it. An address that is known to have
 * failed too often is refused before its token is looked at, so that not even the time says whether that was right.
 */
export function compileAuthorize(gateway: Administered): Authorize {
  const failures = limitFailures(gateway);
  const refusedUntilMs = new Map<string, number>();

  return async function authorize(request, bindings) {
    const address = gateway.clientAddress(request, bindings) ?? "unknown";
    const knownMs = (refusedUntilMs.get(address) ?? 0) - monotonicNow();
    if (knownMs > 0) throw tooMany(knownMs);
    const given = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const [sent, admin, read] = await Promise.all(
      [given, gateway.adminToken ?? "", gateway.readToken ?? ""].map(digestOf),
    );
    const isAdmin = isSame(sent!, admin!) && given !== "";
    const isReader = isSame(sent!, read!) && given !== "";
    const isKnown = isAdmin || isReader;
    const askedAtMs = monotonicNow();
    const { allowed, retryAfterMs } = await failures[isKnown ? "peek" : "limit"](address);
    if (!allowed) {
      setRecent(refusedUntilMs, address, askedAtMs + retryAfterMs, MAX_KNOWN);
      throw tooMany(retryAfterMs);
    }
    if (!isKnown) {
      throw new Refusal(
        401,
        'Send a token of this gateway: "Authorization: Bearer <token>".',
        {},
        { "WWW-Authenticate": "Bearer" },
      );
    }
    return { role: isAdmin ? "admin" : "read", by: `admin:${hexOf(sent!.subarray(0, 4))}` };
  };
}

function tooMany(retryAfterMs: number): Refusal {
  return new Refusal(
    429,
    "Too many requests of this address had no token or a wrong one.",
    {},
    { "Retry-After": String(Math.ceil(retryAfterMs / 1000)) },
  );
}

function limitFailures({ store, prefix }: Administered): Limiter {
  const policies = [
    slidingWindowLog({ name: "admin-failures", limit: MAX_FAILURES, window: "1m" }),
  ];
  // Keys of their own, whatever the gateway's policies are called.
  const settings = checkSettings(
    { policies, prefix: `${prefix}:admin`, denialCache: false as const },
    new Faults(),
  );
  return buildLimiter(store, settings);
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
