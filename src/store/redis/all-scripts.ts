import { DECIDE } from "../../algorithms/scripts.generated.ts";
import { HOLDS } from "./hold-calls.ts";
import { LEASES } from "./lease-calls.ts";
import type { MoreScripts } from "./script-calls.ts";
import { TAKES } from "./take-calls.ts";

/** For limiters with any number of policies, leases, holds, and partitions on several masters. */
export const ALL_SCRIPTS: Required<Omit<MoreScripts, "one">> = {
  decide: DECIDE,
  lease: LEASES,
  take: TAKES,
  holds: HOLDS,
};
