import { TidegateError } from "../options/errors.ts";
import type { Slot } from "../store/store.ts";
import { checkCallOptions, checkCost } from "./cost.ts";
import { decidePath } from "./decide.ts";
import { createDecisionLater, type Decision, type Parts } from "./decision.ts";
import type { StepsOfFeatures } from "./features.ts";
import type { Identify, Identity } from "./identify.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import type { LimitOptions, Limiter } from "./limiter.ts";
import type { PolicyRows } from "./outcome.ts";
import type { Verdict, CountRequest, PartitionRequest, Decide } from "./step.ts";

/** A limiter's path, for the operations that features add. */
export interface LimiterPath {
  readonly context: LimiterContext<CoreSettings>;
  readonly decide: Decide;
  /** Finds the groups that count an identity, and decides. Synchronous if no step has to wait. */
  ask(
    operation: CountRequest["operation"],
    identity: Identity,
    options: LimitOptions | null | undefined,
    slot?: Slot,
  ): Verdict | Promise<Verdict>;
  show(verdict: Verdict): Decision;
}

export const CALL_OPTIONS = ["cost", "plan"];

/**
 * Builds the path of requests from what its steps share and the steps of features.
 *
 * @param identifyBy makes the function that finds the groups of an identity
 */
export function createPath<Settings extends CoreSettings>(
  context: LimiterContext<Settings>,
  features: StepsOfFeatures<Settings>,
  identifyBy: (context: LimiterContext<CoreSettings>) => Identify,
): LimiterPath & Pick<Limiter, "reset"> {
  const decide = decidePath(context, features);
  const identify = identifyBy(context);

  return {
    context,
    decide,
    show: presenter(context.settings),

    ask(operation, identity, options, slot) {
      // Untyped code may give null.
      const { cost, plan } = options ?? {};
      const of = (groups: readonly PartitionRequest[]): CountRequest => ({
        // A charge teaches whether one more unit has room; a charge of 0 units acts as a peek.
        operation: operation === "charge" && groups.every(costsNothing) ? "peek" : operation,
        groups,
        plan,
        slot,
      });
      const groups = identify.groupsFor(identity, cost);
      return groups instanceof Promise
        ? groups.then((found) => decide(of(found)))
        : decide(of(groups));
    },

    async reset(identity, options) {
      const groups = await identify.ownGroupsFor(identity);
      await decide({ operation: "reset", groups, plan: options?.plan });
    },
  };
}

/** The public operations of a limiter. */
export function operationsOf({
  context,
  ask,
  show,
  reset,
}: ReturnType<typeof createPath>): Limiter {
  const slotted = context.settings.policies.find(({ implementation }) => implementation.hasSlots);

  return {
    // Not async: wrapping the path's promise would cost as much as a known denial itself.
    limit(identity, options) {
      try {
        if (slotted) throw needsHold(slotted.name);
        checkCallOptions(options, CALL_OPTIONS);
        const verdict = ask("consume", identity, options);
        return verdict instanceof Promise ? verdict.then(show) : Promise.resolve(show(verdict));
      } catch (error) {
        return Promise.reject(error as Error);
      }
    },

    async peek(identity, options) {
      checkCallOptions(options, CALL_OPTIONS);
      return show(await ask("peek", identity, options));
    },

    async charge(identity, cost, options) {
      checkCallOptions(options, ["plan"]);
      // `limit()` defaults to one unit; a charge without a cost is a mistake.
      if (cost === undefined) checkCost(cost);
      return show(await ask("charge", identity, { ...options, cost }));
    },

    reset,
  };
}

function costsNothing({ costs }: PartitionRequest): boolean {
  return costs.every((cost) => cost === 0);
}

function needsHold(name: string): TidegateError {
  return new TidegateError(
    "ERR_HOLD",
    `The policy ${name} gives slots to holds, which end: use reserve(), and settle() or release() of its hold.`,
  );
}

/**
 * Shows verdicts as decisions: the policies in the caller's order, and those in shadow apart. Sorting waits until the
 * rows are read, because most callers only read `allowed`.
 */
export function presenter({
  policies,
  headers: headerOptions,
  random,
}: Pick<CoreSettings, "policies" | "headers" | "random">): (verdict: Verdict) => Decision {
  const placeOf = new Map(policies.map(({ name }, i) => [name, i]));

  function partsOf({ reason, status, nowUs, groups, error }: Verdict): Parts {
    const outcome = { reason, status, nowUs, headerOptions, random, error };
    if (groups.length === 1 && groups[0]!.asked.group.isInOrder) {
      const { asked, rows } = groups[0]!;
      const { policies, denying } = asked.group;
      return { ...outcome, policies: rows.length === policies.length ? policies : denying, rows };
    }
    const all = groups
      .flatMap(({ asked, rows }) =>
        rows.map((row, i) => ({ policy: asked.group.policies[i]!, row })),
      )
      .sort((a, b) => placeOf.get(a.policy.name)! - placeOf.get(b.policy.name)!);
    const rowsOf = (isShadow: boolean): PolicyRows => {
      const own = all.filter(({ policy }) => (policy.mode === "shadow") === isShadow);
      return { policies: own.map(({ policy }) => policy), rows: own.map(({ row }) => row) };
    };
    return { ...outcome, ...rowsOf(false), shadow: rowsOf(true) };
  }

  return (verdict) => createDecisionLater(verdict, partsOf);
}
