import { byGroup } from "../../decide/ask-store.ts";
import type { Settlement } from "../../decide/hold.ts";
import { costsOf } from "../../decide/identify.ts";
import type { Cost } from "../../decide/limiter-types.ts";
import {
  type PartitionRequest,
  askedIn,
  type Decide,
  type GroupVerdict,
} from "../../decide/step.ts";
import { isNotAsked, StoreError, TidegateError } from "../../options/errors.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { PartialRefundError } from "../../store/partial-reply.ts";
import type { Slot } from "../../store/store.ts";
import { type GiveBack, hasSlots } from "./give-back.ts";

export interface SettlementParts {
  /** Every policy that a cost may name. */
  readonly policies: readonly CompiledPolicy[];
  readonly decide: Decide;
  readonly giveBack: GiveBack;
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
}

/** A call that a settlement makes. */
export type SettlementCall =
  /** Gives units back to their counter, which is the same for all groups. */
  | {
      readonly kind: "returned";
      readonly verdicts: readonly GroupVerdict[];
      /** One number per policy, group after group. */
      readonly units: readonly number[];
      readonly slot: Slot;
    }
  | { readonly kind: "charged"; readonly groups: readonly PartitionRequest[] };

/** The state of a settlement: sums over its calls, and the calls that did not run. */
export interface Progress {
  readonly settlement: Settlement;
  readonly unsent: readonly SettlementCall[];
}

/**
 * The calls that settle a hold at this cost.
 *
 * @throws TidegateError `ERR_COST`, `ERR_HOLD`
 */
export function settlementCalls(
  cost: Cost | undefined,
  verdicts: readonly GroupVerdict[],
  policies: readonly CompiledPolicy[],
  slot: Slot,
): readonly SettlementCall[] {
  const changes = verdicts.map((verdict) => ({ verdict, ...changeOf(verdict, cost, policies) }));
  for (const { verdict, counted } of changes) verdict.settle?.(counted);
  const calls: SettlementCall[] = [];
  for (const counter of ["store", "lease", "memory"] as const) {
    const own = changes.filter(({ verdict }) => verdict.countedBy === counter);
    const units = own.flatMap(({ back }) => back);
    if (units.every((each) => each === 0)) continue;
    calls.push({ kind: "returned", verdicts: own.map(({ verdict }) => verdict), units, slot });
  }
  const groups = changes.flatMap(({ verdict: { asked }, more }) =>
    // A charge on shards is spread over all of them.
    more.some((each) => each > 0) ? [{ ...(asked.unsharded ?? asked), costs: more }] : [],
  );
  return groups.length > 0 ? [...calls, { kind: "charged", groups }] : calls;
}

/** The changes of a settlement in a group, one number per policy. */
interface Change {
  readonly back: readonly number[];
  readonly more: readonly number[];
  /** The units that policies in shadow count only now. */
  readonly counted: readonly number[];
}

/** The difference between a group's cost and its reservation. */
function changeOf(
  { asked, rows, settle }: GroupVerdict,
  cost: Cost | undefined,
  policies: readonly CompiledPolicy[],
): Change {
  const { group, costs } = asked;
  const actual = costsOf(cost, group, policies, costs);
  const change = group.policies.map((policy, i) =>
    rows[i]!.allowed && !hasSlots(policy) ? actual[i]! - costs[i]! : 0,
  );
  const back = group.policies.map((policy, i) => {
    if (hasSlots(policy)) return costs[i]!;
    if (change[i]! >= 0) return 0;
    if (policy.refundable) return -change[i]!;
    if (Object(cost) === cost && Object.hasOwn(cost as object, policy.name)) refuse(policy);
    return 0;
  });
  const counted = actual.map((units, i) => (hasSlots(group.policies[i]!) ? 0 : units));
  return { back, more: change.map((each) => (settle ? 0 : Math.max(0, each))), counted };
}

/** Makes calls concurrently, and adds their results to the progress. A call without an answer stays unknown. */
export async function settleBy(
  calls: readonly SettlementCall[],
  parts: SettlementParts,
  known: Settlement,
): Promise<Progress> {
  const sums: Sums = { returned: { ...known.returned }, charged: { ...known.charged } };
  const outcomes = await Promise.all(
    calls.map((call) =>
      call.kind === "returned" ? giveBack(call, parts) : charge(call.groups, parts),
    ),
  );
  outcomes.forEach(({ done }, i) => {
    for (const [name, units] of done) add(sums[calls[i]!.kind], name, units);
  });
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  const unsent = outcomes.flatMap((outcome) => outcome.unsent ?? []);
  const earlier = known.status === "unknown" ? known.error : undefined;
  const unknown = earlier ?? failures.find((failure) => !isNotAsked(failure));
  const error = unknown ?? failures[0];
  if (!error) return { settlement: { status: "settled", ...sums }, unsent };
  return { settlement: { status: unknown ? "unknown" : "not-sent", ...sums, error }, unsent };
}

type Sums = Record<SettlementCall["kind"], Record<string, number>>;

function add(sums: Record<string, number>, name: string, units: number): void {
  if (units === 0) return;
  // A policy may have the name of an inherited property, such as `constructor`.
  sums[name] = (Object.hasOwn(sums, name) ? sums[name]! : 0) + units;
}

interface Outcome {
  /** The units that came back or were charged, by policy. */
  readonly done: readonly (readonly [name: string, units: number])[];
  /** A call that did not run. A call with an unknown result is never repeated. */
  readonly unsent?: SettlementCall;
  readonly failures: readonly StoreError[];
}

async function giveBack(
  call: SettlementCall & { readonly kind: "returned" },
  parts: SettlementParts,
): Promise<Outcome> {
  const { verdicts, units, slot } = call;
  const ownUnits = byGroup(askedIn(verdicts), units);
  const policies = verdicts.flatMap(({ asked }) => asked.group.policies);
  const named = (done: readonly number[]) =>
    done.map((each, i) => [policies[i]!.name, each] as const);
  try {
    const done = await parts.giveBack.units(verdicts, units, slot);
    // A charge that the store left unanswered has an unknown result; one that was never sent took no units.
    const failures = verdicts.flatMap(({ error }, i) =>
      error && !isNotAsked(error) && ownUnits[i]!.some((each) => each > 0) ? [error] : [],
    );
    return { done: named(done), failures };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const isPartial = error instanceof PartialRefundError;
    const failures = units.map((each, i) =>
      each > 0 ? (isPartial ? error.failures[i] : error) : undefined,
    );
    const unsent = units.map((each, i) => (failures[i] && isNotAsked(failures[i]) ? each : 0));
    const isLeft = unsent.some((each) => each > 0);
    return {
      done: isPartial ? named(error.refunded) : [],
      failures: failures.flatMap((failure) => failure ?? []),
      ...(isLeft && { unsent: { ...call, units: unsent } }),
    };
  }
}

async function charge(
  groups: readonly PartitionRequest[],
  { decide }: SettlementParts,
): Promise<Outcome> {
  const verdict = await decide({ operation: "charge", groups });
  const all = (verdict.spread ?? verdict.groups).filter(({ asked }) =>
    asked.costs.some((each) => each > 0),
  );
  const failed = all.filter(({ error }) => error !== undefined);
  const unsent = failed.filter(({ error }) => isNotAsked(error!));
  return {
    done: all
      .filter(({ error }) => !error)
      .flatMap(({ asked }) =>
        asked.group.policies.map(({ name }, i) => [name, asked.costs[i]!] as const),
      ),
    failures: failed.flatMap(({ error }) => error ?? []),
    ...(unsent.length > 0 && { unsent: { kind: "charged", groups: chargesToRetry(unsent) } }),
  };
}

/**
 * The charges to repeat at the store alone: this isolate's memory has counted them. Charges of several shards become
 * one, which is spread anew, so that the other shards take a silent shard's part.
 */
function chargesToRetry(unsent: readonly GroupVerdict[]): readonly PartitionRequest[] {
  const again = new Map<PartitionRequest, readonly number[]>();
  for (const { asked } of unsent) {
    const unsharded = asked.unsharded ?? asked;
    const before = again.get(unsharded);
    again.set(unsharded, before ? before.map((units, i) => units + asked.costs[i]!) : asked.costs);
  }
  return Array.from(again, ([asked, costs]) => ({ ...asked, costs, isCountedInMemory: true }));
}

function refuse({ name }: CompiledPolicy): never {
  throw new TidegateError(
    "ERR_HOLD",
    `The policy ${name} gives nothing back: set refundable: true on it, or leave it out of the cost.`,
  );
}
