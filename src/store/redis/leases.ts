import { LEASE } from "../../algorithms/scripts.generated.ts";
import { type LeaseCalls, parseReply, replyLength } from "./store.ts";

/** For limiters with leases. The reply ends with the units that the lease took. */
export const LEASES: LeaseCalls = {
  script: LEASE,

  async take(run, script, keys, args, policies, roles) {
    const end = replyLength(policies);
    const tail = roles.length === 0 ? 1 : 1 + policies.length;
    const numbers = await run(script, keys, args, end + tail);
    const [leased, ...charged] = numbers.slice(end);
    return {
      ...parseReply(numbers.slice(0, end)),
      leased: leased!,
      ...(charged.length > 0 && { charged }),
    };
  },
};
