import type { Fault } from "../errors/errors.ts";
import { checkPlans, type Plans } from "../features/plans/plans.ts";
import { Faults } from "../options/faults.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { rewritten } from "./check.ts";
import type { Ruleset } from "./ruleset.ts";

/** A policy as it is, and with other numbers; `faults` are those of the numbers, with their paths in the body. */
export interface EditedPolicy {
  readonly before: CompiledPolicy;
  readonly after: CompiledPolicy;
  readonly faults: readonly Fault[];
}

const PLAN = "edited";

/** Compiles a policy with other numbers, as under a plan; `undefined` if there is no policy of this name. */
export function editPolicy(
  { rules, settings: { policies } }: Ruleset,
  name: string,
  numbers: unknown,
): EditedPolicy | undefined {
  const place = policies.findIndex((policy) => policy.name === name);
  const before = policies[place];
  if (!before) return undefined;
  const faults = new Faults();
  const given = rules.flatMap(({ reader }) => reader.policies);
  const plan = { [PLAN]: { [name]: numbers } } as Plans;
  const start = `PLANS.${PLAN}.${name}`;
  const { plans } = rewritten(
    faults,
    () => checkPlans(plan, "PLANS", given, policies, faults),
    ({ path, ...fault }) => ({ ...fault, path: path.replace(start, "numbers") }),
  );
  return {
    before,
    after: plans.get(PLAN)![place]!,
    faults: [...unreplayable(before), ...faults.list],
  };
}

/** What such policies count depends on what the trace does not have. */
function unreplayable({ name, implementation, role, countsFailures }: CompiledPolicy): Fault[] {
  if (!implementation.hasSlots && role !== "denials" && !countsFailures) return [];
  const remedy = "Name a policy that counts requests, and neither holds, failures nor denials.";
  return [{ path: "policy", value: JSON.stringify(name), remedy }];
}
