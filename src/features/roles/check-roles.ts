import type { Counts } from "../../algorithms/common-options.ts";
import type { Faults } from "../../options/faults.ts";
import { CHOICE, MODE_OF_DENIALS, ONLY_DENIALS } from "../../options/messages.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Policy } from "../../policy/policy.ts";
import { MODES } from "../../policy/traits.ts";

export const COUNTS = ["requests", "denials", "failures"] as const satisfies Counts[];

/** Checks the `mode` and `counts` options of a policy. */
export function checkCounts({ mode, counts }: Policy, path: string, faults: Faults): void {
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
export function checkDenials(
  policies: readonly CompiledPolicy[],
  path: string,
  faults: Faults,
): void {
  if (policies.length === 0 || policies.some(({ role }) => role !== "denials")) return;
  faults.add(path, "denials", ONLY_DENIALS);
}
