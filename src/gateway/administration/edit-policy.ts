import type { Fault } from "../../errors/errors.ts";
import { compileNumbers } from "../../features/plans/plans.ts";
import { Faults } from "../../options/faults.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { DOCUMENT, UNREPLAYABLE } from "../messages/document.ts";
import { policiesOf } from "../rules/policies-of.ts";
import type { Ruleset } from "../rules/ruleset.ts";

/** A policy as it is, and with other numbers; `faults` are those of the numbers, with their paths in the body. */
export interface EditedPolicy {
  readonly before: CompiledPolicy;
  readonly after: CompiledPolicy;
  readonly faults: readonly Fault[];
}

/** Compiles a policy with other numbers, as under a plan; `undefined` if there is no policy of this name. */
export function editPolicy(
  { rules, settings: { policies } }: Ruleset,
  name: string,
  numbers: unknown,
): EditedPolicy | undefined {
  const place = policies.findIndex((policy) => policy.name === name);
  const before = policies[place];
  if (!before) return undefined;
  const faults = new Faults(DOCUMENT);
  checkReplayable(before, faults);
  const declared = policiesOf(rules, policies);
  const start = `edited.${name}`;
  const edited = new PlacedFaults(faults, { pathsOf: (path) => [path.replace(start, "numbers")] });
  const table = { [name]: numbers };
  const after = compileNumbers(table, "edited", declared, policies, edited)[place]!;
  return { before, after, faults: faults.list };
}

/** Such policies count by data that the trace does not have. */
function checkReplayable(
  { name, implementation, role, countsFailures }: CompiledPolicy,
  faults: Faults,
): void {
  if (!implementation.hasSlots && role !== "denials" && !countsFailures) return;
  faults.add("policy", name, UNREPLAYABLE);
}
