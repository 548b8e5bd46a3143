import { isRecord } from "../options/record.ts";

/** The claims of a token whose signature, times, issuer and audience are verified. */
export type Claims = Readonly<Record<string, unknown>>;

/** The characters of a claim's name or path. A comma joins the parts of an identity. */
export const CLAIM_NAME = "[\\w$@/:.~-]+";

/**
 * The text of a claim: of `user.team` that of the claim with this name, else that of `team` in `user`. Only texts and whole numbers
 * count: of a list or a table nobody could say which part is the identity.
 */
export function claimText(claims: Claims | undefined, name: string): string | undefined {
  if (claims === undefined) return undefined;
  const value = Object.hasOwn(claims, name) ? claims[name] : valueAt(claims, name.split("."));
  if (typeof value === "string") return value === "" ? undefined : value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

function valueAt(claims: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    claims,
  );
}

/** The claim in a source or a plan such as `jwt:NAME`; `undefined` for anything else. */
export function claimNameIn(source: unknown): string | undefined {
  return typeof source === "string" && source.startsWith("jwt:")
    ? source.slice("jwt:".length)
    : undefined;
}
