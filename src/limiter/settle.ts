import { StoreError, TidegateError } from "../errors/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { type Cost, costsOf } from "./cost.ts";
import type { DecisionPath } from "./decision-path.ts";
import type { GiveBack } from "./give-back.ts";
import type { Settlement } from "./hold.ts";
import type { Taken } from "./selection.ts";

/** What settles holds. */
export interface Settler {
  /** Every policy that a cost may name. */
  readonly known: readonly CompiledPolicy[];
  readonly path: Pick<DecisionPath, "ask">;
  readonly giveBack: GiveBack;
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
}

/** The code of a failure after which a call surely did not run. */
const NOT_ASKED = "ERR_STORE_SUSPENDED";

/** A call of the store that a settlement needs. */
interface Step {
  readonly taken: Taken;
  readonly kind: "returned" | "charged";
  /** One per policy. */
  readonly units: readonly number[];
  /** A charge that the store could not be asked for has been counted in this isolate's memory: once is enough. */
  readonly countedHere?: true;
}

/** What is known of a settlement: sums over its steps, and what has surely not run. */
export interface Progress {
  readonly settlement: Settlement;
  readonly unsent: readonly Step[];
}

/**
 * What it takes to settle at this cost.
 *
 * @throws TidegateError `ERR_COST`, `ERR_HOLD`
 */
export function stepsTo(
  cost: Cost | undefined,
  reserved: readonly Taken[],
  { known }: Settler,
): readonly Step[] {
  return reserved.flatMap((taken) => {
    const { request, reply } = taken;
    const { selection, costs } = request;
    const actual = costsOf(cost, selection, known, costs);
    const more = actual.map((units, i) =>
      reply.rows[i]!.allowed && !hasSlots(selection.policies[i]!) ? units - costs[i]! : 0,
    );
    const back = selection.policies.map((policy, i) => {
      if (hasSlots(policy)) return costs[i]!;
      if (more[i]! >= 0) return 0;
      if (policy.refundable) return -more[i]!;
      if (Object(cost) === cost && Object.hasOwn(cost as object, policy.name)) refuse(policy);
      return 0;
    });
    const steps: Step[] = [
      { taken, kind: "returned", units: back },
      { taken, kind: "charged", units: more.map((units) => Math.max(0, units)) },
    ];
    return steps.filter(({ units }) => units.some((each) => each > 0));
  });
}

/** Runs steps side by side, and adds what they did to what is known. What had no answer before stays unknown. */
export async function run(
  steps: readonly Step[],
  settler: Settler,
  known: Settlement,
): Promise<Progress> {
  const sums = { returned: { ...known.returned }, charged: { ...known.charged } };
  const results = await Promise.all(steps.map((step) => runStep(step, settler, sums)));
  const unsent = steps
    .filter((_, i) => results[i]?.code === NOT_ASKED)
    .map(({ taken, kind, units }): Step => ({ taken, kind, units, countedHere: true }));
  const earlier = known.status === "unknown" ? known.error : undefined;
  const unknown = earlier ?? results.find((result) => result && result.code !== NOT_ASKED);
  const error = unknown ?? results.find((result) => result);
  if (!error) return { settlement: { status: "settled", ...sums }, unsent };
  return { settlement: { status: unknown ? "unknown" : "not-sent", ...sums, error }, unsent };
}

type Sums = Record<Step["kind"], Record<string, number>>;

/** Resolves with what went wrong. */
async function runStep(
  { taken, kind, units, countedHere }: Step,
  { path, giveBack }: Settler,
  sums: Sums,
): Promise<StoreError | undefined> {
  const { selection, partitions } = taken.request;
  const add = (done: readonly number[]) =>
    selection.policies.forEach(({ name }, i) => {
      if (done[i]! > 0) sums[kind][name] = (sums[kind][name] ?? 0) + done[i]!;
    });
  if (kind === "charged" && !countedHere) {
    const { error } = await path.ask("charge", { selection, partitions, costs: units });
    if (!error) add(units);
    return error;
  }
  try {
    if (kind === "charged") {
      await giveBack.charge(taken, units);
      add(units);
      return undefined;
    }
    add(await giveBack.units(taken, units));
    // What the store took without answering is not known; one that was not asked took nothing.
    return taken.error?.code === NOT_ASKED ? undefined : taken.error;
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
}

const hasSlots = ({ implementation }: CompiledPolicy) => implementation.hasSlots === true;

function refuse({ name }: CompiledPolicy): never {
  throw new TidegateError(
    "ERR_HOLD",
    `The policy ${name} gives nothing back: set refundable: true on it, or leave it out of the cost.`,
  );
}
