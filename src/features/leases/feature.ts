import { LEASES } from "../../store/redis/leases.ts";
import { compileLeases } from "./check.ts";
import { leaseSteps } from "./step.ts";

/** Policies whose quota an isolate reserves ahead of time. */
export const leases = { scripts: { lease: LEASES }, compile: compileLeases, steps: leaseSteps };
