import type { Operation, Pass, Row } from "../algorithms/model.ts";
import type { CountedPolicy } from "../policy/compile.ts";

/** Asks one policy of a decision, by its index, and stores the units it took. */
export type AskPolicy = (index: number, pass: Pass | Operation, cost: number) => Row;

/** Decides one request against several policies. */
export type DecideTogether = (
  operation: Operation,
  costs: readonly number[],
  policies: readonly CountedPolicy[],
  ask: AskPolicy,
) => Row[];

/** As `decideTogether`, for limiters all of whose policies are enforced and count requests. */
export const takeTogether: DecideTogether = (operation, costs, policies, ask) => {
  const first = operation === "consume" && policies.length > 1 ? "ask" : operation;
  const rows = policies.map((_, i) => ask(i, first, costs[i]!));
  if (first === operation || rows.some(({ allowed }) => !allowed)) return rows;
  return rows.map((row, i) => (costs[i] === 0 ? row : ask(i, operation, costs[i]!)));
};

/** As `lua/decide.lua` does: first every policy is asked, then the permitted ones take their units. */
export const decideTogether: DecideTogether = (operation, costs, policies, ask) => {
  const consumes = operation === "consume";
  const first = consumes && policies.length > 1 ? "ask" : operation;
  const rows = policies.map(({ role }, i) => {
    if (role === "owed") return ask(i, "peek", 1);
    if (role !== "denials") return ask(i, first, costs[i]!);
    const look = consumes ? "ask" : "peek";
    const row = consumes && costs[i]! > 0 ? ask(i, "charge", costs[i]!) : ask(i, look, 1);
    return { ...row, allowed: row.retryAfterUs === 0 };
  });
  const isOwed = policies.some(({ role }) => role === "owed");
  if (first === operation && !isOwed) return rows;
  const denies = rows.map(({ allowed }, i) => !allowed && mayDeny(policies[i]!));
  const denied = denies.includes(true);
  return rows.map((row, i) => {
    if (policies[i]!.role === "owed") {
      const units = Math.min(costs[i]!, row.remaining);
      return operation === "peek" || units === 0 ? row : ask(i, "charge", units);
    }
    if (first === operation) return row;
    if (policies[i]!.role === "denials") {
      // Compared by key: a caller may count one policy twice.
      const others = denies.some(
        (each, other) => each && policies[other]!.key !== policies[i]!.key,
      );
      if (!others) return row;
      const { remaining, retryAfterUs, resetAfterUs } = ask(i, "charge", 1);
      return { allowed: row.allowed, remaining, retryAfterUs, resetAfterUs };
    }
    return denied || !row.allowed || costs[i] === 0 ? row : ask(i, operation, costs[i]!);
  });
};

/** Whether a policy without room denies the request. */
export function mayDeny({ role }: Pick<CountedPolicy, "role">): boolean {
  return role === "enforced" || role === "denials";
}
