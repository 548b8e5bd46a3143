import type { Decision } from "../decide/decision.ts";

/** The field of a request that says which policies it is over without being denied. */
export const OVER = "tidegate-over";

/** The names of the policies that an allowed request is over, as a structured field; empty if there are none. */
export function overLimits({ policies }: Decision): string {
  const over = policies.filter(({ allowed }) => !allowed);
  return over.map(({ name }) => `"${name}"`).join(", ");
}
