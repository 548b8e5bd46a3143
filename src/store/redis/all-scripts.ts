import { DECIDE } from "../../algorithms/scripts.generated.ts";
import { HOLDS, LEASES, TAKES } from "./feature-calls.ts";
import type { MoreScripts } from "./script-calls.ts";

/** For limiters with any number of policies, leases, holds, and partitions on several masters. */
export const ALL_SCRIPTS: Required<Omit<MoreScripts, "one">> = {
  decide: DECIDE,
  lease: LEASES,
  take: TAKES,
  holds: HOLDS,
};
