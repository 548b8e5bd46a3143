import { openReplica } from "./open.ts";
import { replicaStep } from "./step.ts";

/** Denials by a replica of the Redis that counts. */
export const replica = { open: openReplica, steps: replicaStep };
