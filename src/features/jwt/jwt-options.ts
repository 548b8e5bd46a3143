import type { Duration } from "../../options/duration.ts";

/** The algorithms that sign by a private key: whoever has the public keys can verify, and not sign. */
export const ASYMMETRIC = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

/** The algorithms that sign and verify by one secret. */
export const SYMMETRIC = ["HS256", "HS384", "HS512"] as const;

/** Whose tokens are verified. */
export interface JwtOptions {
  /** The address of the issuer's public keys, a JSON Web Key Set. Needed without a `secret`. Default: none. */
  readonly jwks?: string;
  /**
   * The secret that signs the tokens with HMAC, in place of `jwks`. The gateway reads it from `JWT_SECRET`. Range: 32 to 1,024
   * characters. Default: none.
   */
  readonly secret?: string;
  /** The `iss` that tokens must have, or several of them. Default: any, so that the keys alone decide. */
  readonly issuer?: string | readonly string[];
  /**
   * The `aud` that tokens must have, or several, one of which is enough. Without it, a token that the issuer made for another service is
   * an identity here, too. Default: any.
   */
  readonly audience?: string | readonly string[];
  /**
   * The algorithms that may sign, of those that `jwks` or a `secret` allows: no public key verifies an HMAC, and `none` is never one.
   * Default: `RS256` to `RS512`, `PS256` to `PS512`, `ES256` to `ES512` and `EdDSA` with `jwks`; `HS256` to `HS512` with a `secret`.
   */
  readonly algorithms?: readonly ((typeof ASYMMETRIC)[number] | (typeof SYMMETRIC)[number])[];
  /** How far the issuer's clock may differ, for `exp` and `nbf`. Range: `"0s"` to `"1m"`. Default: `"5s"`. */
  readonly clockSkew?: Duration;
  /** The header field with the token, behind `Bearer` or alone. Default: `"authorization"`, behind `Bearer`. */
  readonly header?: string;
  /**
   * The treatment of a request whose token fails: `"missing"` treats it as one without a token, `"reject"` answers 401, or 503 while no
   * key is known. A request without a token is never rejected here: `onMissing` decides. Default: `"missing"`.
   */
  readonly onInvalid?: "missing" | "reject";
}
