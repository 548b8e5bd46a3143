import { createLeases } from "../lease/leases.ts";
import type { Memory } from "../store/memory.ts";
import { createRoles, type Roles } from "./roles.ts";
import { take } from "./take.ts";

/** What a decision path needs for some limiters only: a bundle without them does not contain it. */
export interface PathParts {
  /** For local counts. Default: a memory of its own. */
  readonly memory?: Memory;
  /** For policies that are not enforced, or count denials. */
  readonly roles?: Roles;
  /** For policies with leases. */
  readonly leasing?: Leasing;
}

/** Quota that is reserved in advance. */
export interface Leasing {
  readonly createLeases: typeof createLeases;
  readonly take: typeof take;
}

/** The parts of a limiter with any policies. */
export function allParts(): PathParts {
  return { roles: createRoles(), leasing: { createLeases, take } };
}
