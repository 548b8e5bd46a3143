import type { CompiledPolicy } from "../policy/compile.ts";
import type { AskPolicy } from "./decide-together.ts";
import type { Reply } from "./store.ts";

/** As `lua/lease.lua` does. */
export function leaseTogether(
  wanted: number,
  policies: readonly CompiledPolicy[],
  ask: AskPolicy,
): Pick<Reply, "rows" | "taken"> {
  // One policy decides alone, whatever its role.
  const isAdvisory = (i: number) => policies.length > 1 && policies[i]!.role === "advisory";
  const asked = policies.map((_, i) => ask(i, "ask", 1));
  // A policy without room has nothing remaining.
  const left = asked.map(({ remaining }, i) => (isAdvisory(i) ? wanted : remaining));
  const taken = Math.min(wanted, ...left);
  const rows = asked.map((row, i) => {
    const units = isAdvisory(i) ? Math.min(taken, row.remaining) : taken;
    return units > 0 ? ask(i, "charge", units) : row;
  });
  return { rows, taken };
}
