import type { Counts, Denials, Mode } from "../../algorithms/common-options.ts";
import { DECIDE } from "../../algorithms/scripts.generated.ts";
import type { Faults } from "../../options/faults.ts";
import { CHOICE, MODE_OF_DENIALS, ONLY_DENIALS } from "../../options/messages.ts";
import { optionValue } from "../../options/option-value.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Policy } from "../../policy/policy.ts";
import { MODES } from "../../policy/traits.ts";
import { decideTogether } from "../../store/decide-together.ts";
import { roleSteps } from "./role-steps.ts";

/** Policies in shadow or soft, and those that count denials or failures. */
export const roles = {
  scripts: { decide: DECIDE },
  checkPolicy: checkCounts,
  check: checkDenials,
  together: decideTogether,
  steps: roleSteps,
};

/**
 * Counts denials: one unit whenever another policy of the decision denies. While the policy has no room, it denies every request, so
 * it bans clients that keep coming. Another policy has to count requests. Denials that the isolate knows without asking Redis count
 * with the next request that asks it.
 *
 * @example
 * fixedWindow({ name: "ban", counts: denials(), limit: 20, window: "1h" })
 */
export function denials(): Denials {
  return optionValue("counts", { counts: "denials" }, { roles }) as Denials;
}

/**
 * The same policy, which decides and counts, but never denies, and is not shown to clients: `decision.shadow` has its decision.
 *
 * @example
 * shadow(tokenBucket({ name: "stricter", limit: 10, refill: 5, per: "1s" }))
 */
export function shadow<Of extends Policy>(policy: Of): Of {
  return inMode(policy, "shadow");
}

/**
 * The same policy, which never denies, but is in the header fields. The origin of a gateway and the route behind Vercel's middleware
 * learn from the request's field `Tidegate-Over` that the client is over its limit.
 *
 * @example
 * soft(fixedWindow({ name: "fair-use", limit: 10_000, window: "1d" }))
 */
export function soft<Of extends Policy>(policy: Of): Of {
  return inMode(policy, "soft");
}

function inMode<Of extends Policy>(policy: Of, mode: Mode): Of {
  // The limiter's own check reports a value that is no policy.
  if (typeof policy !== "object" || policy === null) return policy;
  return { ...policy, mode: optionValue("mode", { mode }, { roles }) };
}

export const COUNTS = ["requests", "denials", "failures"] as const satisfies Counts[];

/** Checks the `mode` and `counts` options of a policy. */
function checkCounts({ mode, counts }: Policy, path: string, faults: Faults): void {
  if (mode !== undefined && !MODES.includes(mode)) {
    faults.add(`${path}.mode`, mode, CHOICE, MODES);
  }
  if (counts !== undefined && !COUNTS.includes(counts)) {
    faults.add(`${path}.counts`, counts, CHOICE, COUNTS);
  } else if (counts === "denials" && mode !== undefined && mode !== "enforce") {
    faults.add(`${path}.counts`, counts, MODE_OF_DENIALS);
  }
}

/** Rejects a limiter in which every policy counts denials: no policy would cause one. */
function checkDenials(policies: readonly CompiledPolicy[], path: string, faults: Faults): void {
  if (policies.length === 0 || policies.some(({ role }) => role !== "denials")) return;
  faults.add(path, "denials", ONLY_DENIALS);
}
