import { TidegateError } from "../options/errors.ts";
import { isRecord } from "../options/record.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { PolicyGroup } from "./groups.ts";
import type { LocalDenials } from "./known-denials.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import {
  type CountRequest,
  type PartitionRequest,
  type Decide,
  type GroupVerdict,
  NO_MOMENT,
  type Step,
  type Verdict,
} from "./step.ts";

/**
 * Quota units: one number for every policy, or a number for each policy by name. A policy that is not named costs 1. A
 * `concurrency()` counts no units: a hold takes one slot of it, or no slot if its cost by name is 0.
 */
export type Cost = number | Readonly<Record<string, number>>;

/** The options of a call that costs. */
export interface CostOptions {
  /**
   * Quota units of this request: a whole number (0 takes none), or numbers by policy name, such as `{ tokens: 400 }`. A
   * policy in debt denies a cost of 0, too. A `concurrency()` gives one slot for any number. Default: 1 for every
   * policy.
   */
  readonly cost?: Cost | undefined;
}

/** @throws TidegateError `ERR_COST` for an unknown option: a misspelt `cost` would silently become 1 */
export function checkCallOptions(
  options: object | null | undefined,
  known: readonly string[],
): void {
  for (const key in options) {
    if (!known.includes(key) && options[key as never] !== undefined) {
      refuse(`option is \`${known.join("` or `")}\``, key);
    }
  }
  if (options !== undefined && options !== null && Object(options) !== options) {
    refuse("options must be an object, { cost }", options);
  }
}

/**
 * The cost for each policy of a group.
 *
 * @param all every policy that a cost may name
 * @param unnamed the costs of policies that `cost` does not name. Default: one unit each
 * @throws TidegateError `ERR_COST`
 */
export function costsOf(
  cost: Cost | undefined,
  { policies, defaultCosts }: Pick<PolicyGroup, "policies" | "defaultCosts">,
  all: readonly CompiledPolicy[],
  unnamed: readonly number[] = defaultCosts,
): readonly number[] {
  if (cost === undefined) return unnamed;
  if (!isRecord(cost)) {
    checkCost(cost);
    return policies.map(
      ({ implementation }, i) => defaultCosts[i]! * (implementation.hasSlots ? 1 : cost),
    );
  }
  for (const [name, units] of Object.entries(cost)) {
    if (!all.some((policy) => policy.name === name))
      refuse("cost must name policies of the limiter", name);
    checkCost(units);
  }
  return policies.map(({ name, implementation }, i) => {
    if (!Object.hasOwn(cost, name)) return unnamed[i]!;
    return defaultCosts[i]! * (implementation.hasSlots ? Math.min(1, cost[name]!) : cost[name]!);
  });
}

/** @throws TidegateError `ERR_COST` */
export function checkCost(cost: unknown): void {
  if (!Number.isSafeInteger(cost) || Number(cost) < 0) {
    refuse("cost must be a whole number of units from 0", cost);
  }
}

function refuse(rule: string, value: unknown): never {
  const shown = Object(value) === value ? "an object" : String(value);
  throw new TidegateError("ERR_COST", `The ${rule}, not ${shown}.`);
}

/**
 * Denies a cost above its policy's limit, which never has room. The numbers come from a known denial, else from unused
 * policies.
 */
export function tooCostly(
  { now, clockUs }: LimiterContext<CoreSettings>,
  known: LocalDenials,
): Step<Decide> {
  function never({ groups }: CountRequest): Verdict {
    let nowUs: number | undefined;
    const verdicts = groups.map((asked): GroupVerdict => {
      const found = known.find(asked, now());
      if (found.state === "denied") nowUs ??= found.nowUs;
      const rows = asked.group.policies.map((policy, i) => {
        const row = found.state === "denied" ? found.rows[i] : undefined;
        const allowed = fits(policy, asked.costs[i]!);
        return {
          allowed,
          remaining: row?.remaining ?? policy.limit,
          retryAfterUs: allowed ? 0 : Infinity,
          resetAfterUs: row?.resetAfterUs ?? 0,
        };
      });
      return { asked, rows, countedBy: "none", at: NO_MOMENT };
    });
    return {
      reason: "cost-exceeds-limit",
      status: 429,
      nowUs: nowUs ?? clockUs(),
      groups: verdicts,
    };
  }

  return (next) => (asked) => {
    const { operation, groups } = asked;
    if (operation === "charge" || operation === "reset") return next(asked);
    for (let i = 0; i < groups.length; i++) if (!groupFits(groups[i]!)) return never(asked);
    return next(asked);
  };
}

/** Whether each cost of a group can ever have room. */
export function groupFits({ group: { policies }, costs }: PartitionRequest): boolean {
  for (let i = 0; i < policies.length; i++) if (!fits(policies[i]!, costs[i]!)) return false;
  return true;
}

/** A policy that does not deny, or that does not count requests, refuses no cost. */
function fits({ role, limit }: CompiledPolicy, cost: number): boolean {
  return role !== "enforced" || cost <= limit;
}
