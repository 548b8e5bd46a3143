import { TidegateError } from "../errors/errors.ts";
import { EVERYBODY, partitionKey } from "../partition/partition-key.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { setRecent } from "../runtime/lru.ts";
import type { DecisionPath } from "./decision-path.ts";
import { type PolicyGroup, select, type Selection } from "./selection.ts";
import type { LimiterSettings } from "./settings.ts";

/**
 * Who is counted: a text, or one for each dimension that policies count by. A dimension that is absent or `undefined` takes
 * no part in the decision.
 */
export type Identity = string | Readonly<Record<string, string | undefined>>;

/** The policies that count an identity, and its partition key in each of their groups. */
export interface Partitioned {
  readonly selection: Selection;
  readonly partitions: readonly string[];
}

/** Combinations of dimensions and plans that are kept ready. */
const MAX_SELECTIONS = 1_000;

/**
 * Compiles what an identity is partitioned by.
 *
 * @throws TidegateError the result throws `ERR_IDENTITY` and `ERR_PLAN`; only a long identity makes it a promise
 */
export function compileDimensions(
  path: DecisionPath,
  { policies, plans }: LimiterSettings,
): (identity: Identity, plan?: string) => Partitioned | Promise<Partitioned> {
  const names = [...new Set(policies.map(({ by }) => by))];
  const indices = new Map(names.map((name, i) => [name, i]));
  const groups = names.map((name) => path.group(membersOf(policies, name)));
  const selections = new Map<string, Selection>();
  const whole = select(groups, policies);
  /** By plan and dimension, where a plan changes a policy of that dimension. */
  const changed = new Map<string, PolicyGroup>();

  function groupOf(dimension: number, plan: string | undefined): PolicyGroup {
    const base = groups[dimension]!;
    if (plan === undefined) return base;
    const members = membersOf(plans.get(plan)!, names[dimension]);
    if (members.every((policy) => policies.includes(policy))) return base;
    const key = `${plan}\n${dimension}`;
    const existing = changed.get(key);
    if (existing) return existing;
    const group = path.group(members);
    const others = [base, ...base.variants];
    for (const other of others) other.variants.push(group);
    group.variants.push(...others);
    changed.set(key, group);
    return group;
  }

  function selectionOf(dimensions: readonly number[], plan: string | undefined): Selection {
    if (plan !== undefined && !plans.has(plan)) {
      throw new TidegateError("ERR_PLAN", `The limiter has no plan ${JSON.stringify(plan)}.`);
    }
    if (plan === undefined && dimensions.length === names.length) return whole;
    const key = `${dimensions.join()}\n${plan ?? ""}`;
    const existing = selections.get(key);
    if (existing) return existing;
    const selection = select(
      dimensions.map((dimension) => groupOf(dimension, plan)),
      plan === undefined ? policies : plans.get(plan)!,
    );
    setRecent(selections, key, selection, MAX_SELECTIONS);
    return selection;
  }

  /** The dimensions of the limiter that an identity has, in the order of the policies. */
  function dimensionsOf(identity: Exclude<Identity, string>): number[] {
    const found: number[] = [];
    for (const name of Object.keys(identity)) {
      const dimension = indices.get(name);
      if (dimension !== undefined && identity[name] !== undefined && name !== EVERYBODY) {
        found.push(dimension);
      }
    }
    const everybody = indices.get(EVERYBODY);
    if (everybody !== undefined) found.push(everybody);
    if (found.length === 0) {
      throw new TidegateError(
        "ERR_IDENTITY",
        `The identity has none of the dimensions that policies count by: ${names.join(", ")}.`,
      );
    }
    return found.sort((a, b) => a - b);
  }

  if (names[0] === undefined) {
    return (identity, plan) => {
      const selection = selectionOf([0], plan);
      const key = partitionKey(identity as string);
      return typeof key === "string"
        ? { selection, partitions: [key] }
        : key.then((partition) => ({ selection, partitions: [partition] }));
    };
  }

  return (identity, plan) => {
    if (typeof identity !== "object" || identity === null) {
      throw new TidegateError(
        "ERR_IDENTITY",
        `The identity must be an object with what policies count by: ${names.join(", ")}.`,
      );
    }
    const dimensions = dimensionsOf(identity);
    const selection = selectionOf(dimensions, plan);
    const keys = dimensions.map((dimension) => {
      const name = names[dimension]!;
      return name.endsWith(EVERYBODY) ? EVERYBODY : partitionKey(identity[name]!);
    });
    return keys.every((key) => typeof key === "string")
      ? { selection, partitions: keys }
      : Promise.all(keys).then((partitions) => ({ selection, partitions }));
  };
}

function membersOf(policies: readonly CompiledPolicy[], name: string | undefined) {
  return policies.filter(({ by }) => by === name);
}
