import { LEASE } from "../../algorithms/scripts.generated.ts";
import { compileLeases } from "./check.ts";
import { leaseSteps } from "./step.ts";

/** Policies whose quota an isolate reserves ahead of time. */
export const leases = { scripts: { lease: LEASE }, compile: compileLeases, steps: leaseSteps };
