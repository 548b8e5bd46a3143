import { jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions } from "jose";

import type { Claims } from "../../partition/claims.ts";
import { report } from "../../runtime/log.ts";
import { setRecent } from "../../runtime/lru.ts";
import { monotonicNow } from "../../runtime/time.ts";
import type { JwtSettings } from "./check-jwt.ts";
import { createKeySet, fetchKeys, type Keys } from "./key-set.ts";

/** The result of verifying a token. */
export type Verdict =
  | { readonly kind: "verified"; readonly claims: Claims }
  /** `reason`: without anything that the client chose. */
  | { readonly kind: "invalid"; readonly reason: string }
  /** No key is known now. */
  | { readonly kind: "unverified" };

export interface Verifier {
  verify(token: string): Verdict | Promise<Verdict>;
  /** Why the keys could not be read; `undefined` if they could. */
  error(): string | undefined;
}

/** Longer ones are not looked at: an issuer's have 1 or 2 kB, and most servers refuse a field of 16. */
const MAX_LENGTH = 8_192;

/** A client sends one token many times, and a signature takes a hundred times as long as the limiter itself. */
const MAX_VERIFIED = 1_000;

const UNVERIFIED: Verdict = { kind: "unverified" };

/** A token that is known to be valid until then, by these keys. */
interface Verified {
  readonly verdict: Verdict;
  readonly keys: JWTVerifyGetKey;
  readonly untilMs: number;
}

export function createVerifier(settings: JwtSettings): Verifier {
  const { issuer, audience, algorithms, clockSkewSeconds } = settings;
  const keys = keysOf(settings);
  const verified = new Map<string, Verified>();
  const options: JWTVerifyOptions = {
    algorithms: [...algorithms],
    clockTolerance: clockSkewSeconds,
    requiredClaims: ["exp"],
    ...(issuer && { issuer: [...issuer] }),
    ...(audience && { audience: [...audience] }),
  };

  async function verifyBy(known: JWTVerifyGetKey, token: string): Promise<Verdict> {
    const { payload } = await jwtVerify(token, known, options);
    const verdict: Verdict = { kind: "verified", claims: payload };
    const untilMs = (payload.exp! + clockSkewSeconds) * 1_000;
    setRecent(verified, token, { verdict, keys: known, untilMs }, MAX_VERIFIED);
    return verdict;
  }

  async function verifyAnew(token: string, current: ReturnType<Keys["current"]>): Promise<Verdict> {
    const known = await current;
    if (!known) return UNVERIFIED;
    try {
      return await verifyBy(known, token).catch(async (error: unknown) => {
        const newer = codeOf(error) === "ERR_JWKS_NO_MATCHING_KEY" && (await keys.newer());
        if (!newer || newer === known) throw error;
        return verifyBy(newer, token);
      });
    } catch (error) {
      return { kind: "invalid", reason: reasonOf(error) };
    }
  }

  return {
    verify(token) {
      if (token.length > MAX_LENGTH) return { kind: "invalid", reason: "it is too long" };
      const current = keys.current();
      const found = verified.get(token);
      if (found && found.keys === current && found.untilMs > Date.now()) return found.verdict;
      return verifyAnew(token, current);
    },
    error: () => keys.error(),
  };
}

function keysOf({ keys }: JwtSettings): Keys {
  if ("secret" in keys) {
    const bytes = new TextEncoder().encode(keys.secret);
    const known: JWTVerifyGetKey = () => bytes;
    return { current: () => known, newer: async () => known, error: () => undefined };
  }
  return createKeySet({
    read: () => fetchKeys(keys.jwks),
    now: monotonicNow,
    onError: (message) => report(`the keys at ${keys.jwks} were not read: ${message}`),
  });
}

function codeOf(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}

/** The reason tells only what this configuration asks for, and nothing that the token says. */
function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code === "ERR_JWT_EXPIRED") return "it has expired";
  if (code === "ERR_JWT_CLAIM_VALIDATION_FAILED") {
    const { claim } = error as { readonly claim: string };
    return `its claim ${claim} is not as required`;
  }
  if (code === "ERR_JWKS_NO_MATCHING_KEY") return "no key of the issuer has its name and algorithm";
  if (code === "ERR_JWKS_MULTIPLE_MATCHING_KEYS") return "it does not name its key";
  if (code === "ERR_JWS_SIGNATURE_VERIFICATION_FAILED") return "its signature is wrong";
  if (code === "ERR_JOSE_ALG_NOT_ALLOWED") return "its algorithm is not allowed";
  return "it cannot be read";
}
