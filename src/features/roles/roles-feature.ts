import { DECIDE } from "../../algorithms/scripts.generated.ts";
import { decideTogether } from "../../store/decide-together.ts";
import { checkCounts, checkDenials } from "./check-roles.ts";
import { roleSteps } from "./role-steps.ts";

/** Policies in shadow or soft, and those that count denials or failures. */
export const roles = {
  scripts: { decide: DECIDE },
  checkPolicy: checkCounts,
  check: checkDenials,
  together: decideTogether,
  steps: roleSteps,
};
