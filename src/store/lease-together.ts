import type { CountedPolicy } from "../policy/compile.ts";
import type { AskPolicy } from "./decide-together.ts";
import {
  accountAt,
  accountKeyOf,
  afterLease,
  endOfAccount,
  type LeaseAccount,
  roomOf,
  unbounded,
} from "./lease-accounts.ts";
import type { States } from "./states.ts";
import type { Reply } from "./store.ts";

/** Takes a lease as `lua/lease.lua` does. */
export function leaseTogether(
  memory: States,
  nowUs: number,
  keys: readonly string[],
  wanted: number,
  policies: readonly CountedPolicy[],
  request = unbounded(policies),
): Reply {
  const { own, bounds } = request;
  // A policy alone always decides, in any role.
  const hasRoles = policies.length > 1 && policies.some(({ role }) => role !== "enforced");
  const isAdvisory = (i: number) => hasRoles && policies[i]!.role === "advisory";
  const accounts = keys.map((key, i) => {
    if (isAdvisory(i)) return undefined;
    const { state } = memory.entry(accountKeyOf(key)) ?? {};
    return accountAt(nowUs, state as LeaseAccount | undefined, request, i);
  });
  const rooms = accounts.flatMap((account, i) =>
    account ? own + roomOf(account, bounds[i]!) : [],
  );

  function take(ask: AskPolicy) {
    const forOne = policies.map((_, i) => ask(i, "ask", 1));
    // A policy without room has no remaining units.
    const left = forOne.map(({ remaining }, i) => (isAdvisory(i) ? wanted : remaining));
    const leased = Math.min(wanted, ...rooms, ...left);
    const charged = forOne.map(({ remaining }, i) =>
      isAdvisory(i) ? Math.min(leased, remaining) : leased,
    );
    const rows = forOne.map((row, i) => (charged[i]! > 0 ? ask(i, "charge", charged[i]!) : row));
    return { rows, leased, ...(hasRoles && { charged }) };
  }

  const taken = memory.transact(nowUs, keys, policies, take);
  const units = Math.max(0, taken.leased - own);
  const epochs = accounts.map((account, i) => {
    if (!account) return 0;
    const endsUs = nowUs + taken.rows[i]!.resetAfterUs;
    const after = afterLease(account, units, bounds[i]!, endsUs);
    if (units > 0 || request.spent.length > 0)
      memory.keep(accountKeyOf(keys[i]!), after, endOfAccount(after, bounds[i]!));
    return after.epochUs;
  });
  return { nowUs, ...taken, epochs };
}
