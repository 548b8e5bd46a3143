import { LEASES } from "../../store/redis/lease-calls.ts";
import { compileLeases } from "./compile-leases.ts";
import { leaseSteps } from "./lease-steps.ts";

/** Policies whose quota an isolate reserves ahead of time. */
export const leases = { scripts: { lease: LEASES }, compile: compileLeases, steps: leaseSteps };
