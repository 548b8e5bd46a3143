import type { Finding } from "../finding.ts";

/** The most bytes that Cloudflare takes of one variable. */
export const MAX_VARIABLE_BYTES = 5 * 1024;

/** From here on the next rules do not fit any more: one of two policies takes about a tenth. */
export const NEAR_BYTES = 0.9 * MAX_VARIABLE_BYTES;

/** The place to use instead of a variable that does not fit. */
export const INSTEAD =
  "publish live rules (npx tidegate rules push), or give createGateway() the rules from a module of your own worker";

/** A variable of a Worker, and its bytes as JSON. */
export interface Variable {
  /** Such as `vars.RULES`. */
  readonly name: string;
  readonly bytes: number;
}

export function checkVariables(variables: readonly Variable[]): Finding | undefined {
  const large = variables.filter(({ bytes }) => bytes > NEAR_BYTES);
  if (large.length === 0) return undefined;
  const isTooLarge = large.some(({ bytes }) => bytes > MAX_VARIABLE_BYTES);
  return {
    id: isTooLarge ? "variable-too-large" : "variable-near-limit",
    severity: isTooLarge ? "error" : "warning",
    title: isTooLarge
      ? "A variable is larger than Cloudflare takes"
      : "A variable is nearly as large as Cloudflare takes",
    evidence: large
      .map(({ name, bytes }) => `${name} has ${bytes} of ${MAX_VARIABLE_BYTES} bytes`)
      .join(", "),
    remedy: `Before it grows, ${INSTEAD}.`,
  };
}
