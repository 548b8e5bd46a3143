import type { Decision } from "../decide/decision.ts";
import { outcomeOf } from "../decide/present.ts";

/** The field of a request that says which policies it is over without being denied. */
export const OVER = "tidegate-over";

/** The names of the policies that an allowed request is over, as a structured field; empty if there are none. */
export function overLimits(decision: Decision): string {
  const { policies, rows } = outcomeOf(decision);
  let over = "";
  for (let i = 0; i < rows.length; i++) {
    if (!rows[i]!.allowed) over += `${over && ", "}"${policies[i]!.name}"`;
  }
  return over;
}
