import { checkSharing } from "./check.ts";
import { throughSharedDenials } from "./step.ts";

/** Denials that nearby isolates share. */
export const sharedDenials = { check: checkSharing, steps: throughSharedDenials };
