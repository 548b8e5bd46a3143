import { isNotAsked, StoreError, TidegateError } from "../errors/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { PartialRefundError, PartialReplyError } from "../store/partial-reply.ts";
import { type Cost, costsOf } from "./cost.ts";
import type { DecisionPath } from "./decision-path.ts";
import type { GiveBack } from "./give-back.ts";
import type { Settlement } from "./hold.ts";
import { PartialChargeError } from "./partial-charge.ts";
import { hasSlots, type Taken } from "./selection.ts";

/** What settles holds. */
export interface Settler {
  /** Every policy that a cost may name. */
  readonly known: readonly CompiledPolicy[];
  readonly path: Pick<DecisionPath, "ask" | "chargeStore">;
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
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  const earlier = known.status === "unknown" ? known.error : undefined;
  const unknown = earlier ?? failures.find((failure) => !isNotAsked(failure));
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
function unsentOf({ taken, kind }: Step, { unsent }: Outcome): readonly Step[] {
  const isLeft = unsent.some((units) => units > 0);
  return isLeft ? [{ taken, kind, units: unsent, countedHere: true }] : [];
}

/** What a step did. */
interface Outcome {
  /** How many units came back, or were charged, one number per policy. */
  readonly done: readonly number[];
  /** How many units the store was surely not asked for. What is neither is not known. */
  readonly unsent: readonly number[];
  /** What went wrong. */
  readonly failures: readonly StoreError[];
}

async function runStep(
  { taken, kind, units, countedHere }: Step,
  { path, giveBack }: Settler,
): Promise<Outcome> {
  const { selection, partitions, whole } = taken.request;
  const request = { selection, partitions, costs: units, whole };
  const unsent = units.map(() => 0);
  if (kind === "charged" && !countedHere) {
    const { error } = await path.ask("charge", request);
    return error ? outcomeOf(error, units) : { done: units, unsent, failures: [] };
  }
  try {
    if (kind === "charged") {
      await path.chargeStore(request);
      return { done: units, unsent, failures: [] };
    }
    const done = await giveBack.units(taken, units);
    // What the store took without answering is not known; one that was not asked took nothing.
    const isKnown = !taken.error || isNotAsked(taken.error);
    return { done, unsent, failures: isKnown ? [] : [taken.error] };
  } catch (error) {
    if (error instanceof StoreError) return outcomeOf(error, units);
    throw error;
  }
}

/** What a call did that failed for some policies, for some of their shards, or for all of them. */
function outcomeOf(error: StoreError, units: readonly number[]): Outcome {
  if (error instanceof PartialChargeError) {
    const parts = error.parts.map((part) =>
      part.error
        ? outcomeOf(part.error, part.costs)
        : { done: part.costs, unsent: units.map(() => 0), failures: [] },
    );
    const sum = (of: "done" | "unsent") =>
      units.map((_, i) => parts.reduce((all, part) => all + part[of][i]!, 0));
    const failures = parts.flatMap((part) => part.failures);
    return { done: sum("done"), unsent: sum("unsent"), failures };
  }
  const isPartial = error instanceof PartialReplyError || error instanceof PartialRefundError;
  const failures = units.map((each, i) =>
    each > 0 ? (isPartial ? error.failures[i] : error) : undefined,
  );
  const done = error instanceof PartialRefundError ? error.given : units;
  return {
    done: done.map((each, i) => (failures[i] ? 0 : each)),
    unsent: units.map((each, i) => (failures[i] && isNotAsked(failures[i]) ? each : 0)),
    failures: failures.flatMap((failure) => failure ?? []),
  };
}

function refuse({ name }: CompiledPolicy): never {
  throw new TidegateError(
    "ERR_HOLD",
    `The policy ${name} gives nothing back: set refundable: true on it, or leave it out of the cost.`,
  );
}
