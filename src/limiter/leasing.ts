import { createLeases } from "../lease/leases.ts";
import { take } from "./take.ts";

/** What decides where there are leases. */
export interface Leasing {
  readonly createLeases: typeof createLeases;
  readonly take: typeof take;
}

export const LEASING: Leasing = { createLeases, take };
