import { checkSharding } from "./check.ts";
import { inShards } from "./step.ts";

/** Policies whose limit is split over several keys. */
export const shards = { check: checkSharding, steps: inShards };
