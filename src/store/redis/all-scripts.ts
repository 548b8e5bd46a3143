import { DECIDE, LEASE, REFUND } from "../../algorithms/scripts.generated.ts";
import type { MoreScripts } from "./store.ts";

/** For limiters with any number of policies, leases, and partitions on several masters. */
export const ALL_SCRIPTS: Required<MoreScripts> = { decide: DECIDE, lease: LEASE, refund: REFUND };
