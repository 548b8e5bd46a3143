import type { Memory } from "../store/memory.ts";
import { LEASING, type Leasing } from "./leasing.ts";
import { createRoles, type Roles } from "./roles.ts";

/** What a decision path needs for some limiters only: a bundle without them does not contain it. */
export interface PathParts {
  /** For local counts. Default: a memory of its own. */
  readonly memory?: Memory;
  /** For policies that are not enforced, or count denials. */
  readonly roles?: Roles;
  /** For policies with leases. */
  readonly leasing?: Leasing;
}

/** The parts of a limiter with any policies. `now`: a steady clock, in milliseconds. */
export function allParts(memory: Memory, now: () => number): PathParts {
  return { memory, roles: createRoles(now), leasing: LEASING };
}
