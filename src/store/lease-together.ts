import type { CountedPolicy } from "../policy/compile.ts";
import type { AskPolicy } from "./decide-together.ts";
import type { Reply } from "./store.ts";

/** As `lua/lease.lua` does. */
export function leaseTogether(
  wanted: number,
  policies: readonly CountedPolicy[],
  ask: AskPolicy,
): Pick<Reply, "rows" | "leased" | "charged"> {
  // A policy alone always decides, in any role.
  const hasRoles = policies.length > 1 && policies.some(({ role }) => role !== "enforced");
  const isAdvisory = (i: number) => hasRoles && policies[i]!.role === "advisory";
  const forOne = policies.map((_, i) => ask(i, "ask", 1));
  // A policy without room has no remaining units.
  const left = forOne.map(({ remaining }, i) => (isAdvisory(i) ? wanted : remaining));
  const leased = Math.min(wanted, ...left);
  const charged = forOne.map(({ remaining }, i) =>
    isAdvisory(i) ? Math.min(leased, remaining) : leased,
  );
  const rows = forOne.map((row, i) => (charged[i]! > 0 ? ask(i, "charge", charged[i]!) : row));
  return { rows, leased, ...(hasRoles && { charged }) };
}
