import { LEASE } from "../../algorithms/scripts.generated.ts";
import { unbounded, withAccounts } from "../lease-accounts.ts";
import type { LeaseCalls } from "./script-calls.ts";
import { parseReply, replyLength } from "./store.ts";

/** For limiters with leases. The reply ends with the units that the lease took, and the epochs of their accounts. */
export const LEASES: LeaseCalls = {
  script: LEASE,

  async take(run, script, keys, args, policies, [roles = ""], request = unbounded(policies)) {
    const { own, bounds, spent } = request;
    const sent = [
      ...args,
      roles,
      `${own}`,
      ...bounds.flatMap(({ most, periodUs }) => [`${most}`, `${periodUs}`]),
      ...spent.flatMap(({ units, epochs }) => [units, epochs].flat().map(String)),
    ];
    const { length } = policies;
    const end = replyLength(policies);
    const charges = roles === "" ? 0 : length;
    const numbers = await run(script, withAccounts(keys), sent, end + 1 + length + charges);
    const [leased, ...tail] = numbers.slice(end);
    return {
      ...parseReply(numbers.slice(0, end)),
      leased: leased!,
      epochs: tail.slice(0, length),
      ...(charges > 0 && { charged: tail.slice(length) }),
    };
  },
};
