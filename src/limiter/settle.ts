import { isNotAsked, StoreError, TidegateError } from "../errors/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { PartialRefundError, PartialReplyError } from "../store/partial-reply.ts";
import { type Cost, costsOf } from "./cost.ts";
import type { DecisionPath } from "./decision-path.ts";
import type { GiveBack } from "./give-back.ts";
import type { Settlement } from "./hold.ts";
import { hasSlots, type Taken } from "./selection.ts";

/** What settles holds. */
export interface Settler {
  /** Every policy that a cost may name. */
  readonly known: readonly CompiledPolicy[];
  readonly path: Pick<DecisionPath, "ask">;
  readonly giveBack: GiveBack;
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
}

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
  const outcomes = await Promise.all(steps.map((step) => runStep(step, settler)));
  outcomes.forEach(({ done }, i) => add(sums, steps[i]!, done));
  const failures = outcomes.flatMap(({ failures: each }) => each.filter((failure) => failure));
  const earlier = known.status === "unknown" ? known.error : undefined;
  const unknown = earlier ?? failures.find((failure) => !isNotAsked(failure!));
  const error = unknown ?? failures[0];
  const unsent = steps.flatMap((step, i) => unsentOf(step, outcomes[i]!));
  if (!error) return { settlement: { status: "settled", ...sums }, unsent };
  return { settlement: { status: unknown ? "unknown" : "not-sent", ...sums, error }, unsent };
}

type Sums = Record<Step["kind"], Record<string, number>>;

function add(sums: Sums, { taken, kind }: Step, done: readonly number[]): void {
  taken.request.selection.policies.forEach(({ name }, i) => {
    if (done[i] === 0) return;
    // A policy may be named like what every object has, such as `constructor`.
    const earlier = Object.hasOwn(sums[kind], name) ? sums[kind][name]! : 0;
    sums[kind][name] = earlier + done[i]!;
  });
}

/** The part of a step that surely did not run. Of the rest, what is not known is never repeated. */
function unsentOf({ taken, kind, units }: Step, { failures }: Outcome): readonly Step[] {
  const left = units.map((each, i) => (failures[i] && isNotAsked(failures[i]) ? each : 0));
  return left.some((each) => each > 0) ? [{ taken, kind, units: left, countedHere: true }] : [];
}

/** What a step did, one entry per policy. */
interface Outcome {
  /** How many units came back, or were charged. */
  readonly done: readonly number[];
  /** What went wrong with the others. */
  readonly failures: readonly (StoreError | undefined)[];
}

async function runStep(
  { taken, kind, units, countedHere }: Step,
  settler: Settler,
): Promise<Outcome> {
  const { path, giveBack } = settler;
  const { selection, partitions, whole } = taken.request;
  if (kind === "charged" && !countedHere) {
    const { error } = await path.ask("charge", { selection, partitions, costs: units, whole });
    return error ? outcomeOf(error, units) : { done: units, failures: [] };
  }
  try {
    if (kind === "charged") {
      await giveBack.charge(taken, units);
      return { done: units, failures: [] };
    }
    const done = await giveBack.units(taken, units);
    // What the store took without answering is not known; one that was not asked took nothing.
    const isKnown = !taken.error || isNotAsked(taken.error);
    return { done, failures: isKnown ? [] : units.map(() => taken.error) };
  } catch (error) {
    if (error instanceof StoreError) return outcomeOf(error, units);
    throw error;
  }
}

/** What a call did that failed for some policies or for all of them. */
function outcomeOf(error: StoreError, units: readonly number[]): Outcome {
  const isWhole = !(error instanceof PartialReplyError || error instanceof PartialRefundError);
  const failures = units.map((each, i) =>
    each > 0 ? (isWhole ? error : error.failures[i]) : undefined,
  );
  const done = error instanceof PartialRefundError ? error.given : units;
  return { done: done.map((each, i) => (isWhole || failures[i] ? 0 : each)), failures };
}

function refuse({ name }: CompiledPolicy): never {
  throw new TidegateError(
    "ERR_HOLD",
    `The policy ${name} gives nothing back: set refundable: true on it, or leave it out of the cost.`,
  );
}
