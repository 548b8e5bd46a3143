import { createLeases } from "../lease/leases.ts";
import { noteDenied, take } from "./take.ts";

/** What decides where there are leases. */
export interface Leasing {
  readonly createLeases: typeof createLeases;
  readonly take: typeof take;
  readonly noteDenied: typeof noteDenied;
}

export const LEASING: Leasing = { createLeases, take, noteDenied };
