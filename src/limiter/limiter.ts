import { decidePath } from "../decide/decide.ts";
import { createGroup, type PolicyGroup } from "../decide/groups.ts";
import type { Reserve, ReservingLimiter } from "../decide/hold.ts";
import {
  byText,
  CALL_OPTIONS,
  checkCallOptions,
  checkCost,
  type Identify,
} from "../decide/identify.ts";
import type { CoreSettings, LimiterContext, LimiterPath } from "../decide/limiter-context.ts";
import type { Limiter } from "../decide/limiter-types.ts";
import { createLocalCounts, type LocalParts } from "../decide/local-counts.ts";
import { createLocalUnits } from "../decide/local-units.ts";
import { presenter } from "../decide/present.ts";
import type { CountRequest, Decide, PartitionRequest, Step } from "../decide/step.ts";
import type { StepsOfFeatures } from "../decide/steps-of-features.ts";
import type { Features } from "../features/features.ts";
import { TidegateError } from "../options/errors.ts";
import { takeTogether } from "../store/decide-together.ts";
import type { Store } from "../store/store.ts";
import type { LimiterSettings } from "./settings.ts";

/** Makes a limiter from checked settings and a store that answers or fails in time. */
export function buildLimiter(
  store: Store,
  settings: LimiterSettings,
  features: Features,
): ReservingLimiter {
  const parts = {
    units: createLocalUnits(),
    slots: features.slots?.create(),
    together: features.roles?.together ?? takeTogether,
  };
  const identifyBy = features.dimensions?.identifyBy ?? byText;
  const steps = { plans: { steps: withoutPlans }, ...features };
  const path = createPath(createContext(store, settings, parts), steps, identifyBy);
  return { ...operationsOf(path), ...(features.holds?.operations(path) ?? WITHOUT_HOLDS) };
}

/** Without plans, a `plan` must fail: a plan without effect would be a surprise. */
function withoutPlans(): Step<Decide> {
  return (next) => (asked) => {
    if (asked.plan === undefined) return next(asked);
    throw new TidegateError("ERR_PLAN", "The limiter has no plans: give it plans: plans({ ... }).");
  };
}

const WITHOUT_HOLDS: Reserve = {
  reserve: () =>
    Promise.reject(
      new TidegateError(
        "ERR_HOLD",
        "reserve() needs a policy that is a concurrency(), or has refundable: refundable() or counts: failures().",
      ),
    ),
};

/** Makes what the steps of one limiter share. */
export function createContext<Settings extends CoreSettings>(
  store: Store,
  settings: Settings,
  parts: LocalParts,
): LimiterContext<Settings> {
  const { prefix, now } = settings;
  const makers: ((group: PolicyGroup) => void)[] = [];
  const clockUs = store.now ? () => store.now!() : () => Date.now() * 1000;
  let groups = 0;

  return {
    settings,
    store,
    now,
    clockUs,
    local: createLocalCounts(settings.onFailure, clockUs, parts),

    group(members, base) {
      const group = createGroup(members, groups++, base?.variants);
      for (const make of makers) make(group);
      return group;
    },

    perGroup(make) {
      const states: ReturnType<typeof make>[] = [];
      makers.push((group) => (states[group.index] = make(group)));
      return (group) => states[group.index]!;
    },

    keysOf: ({ group, partition }) =>
      group.policies.map(({ key }) => `${prefix}:{${partition}}:${key}`),
  };
}

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
function operationsOf({ ask, show, reset }: ReturnType<typeof createPath>): Limiter {
  return {
    // Not async: wrapping the path's promise would cost as much as a known denial itself.
    limit(identity, options) {
      try {
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
