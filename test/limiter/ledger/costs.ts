import type { Cost } from "../../../src/decide/limiter-types.ts";
import type { Dice } from "./draw.ts";
import { givesBack, type LedgerPolicy, limitOfShard, numbersUnder } from "./policies.ts";

/** By the names of policies. */
export type Units = Readonly<Record<string, number>>;

const record = (entries: readonly (readonly [string, number])[]): Units => {
  // A policy may have the name of a property that every object has.
  const units = Object.create(null) as Record<string, number>;
  for (const [name, each] of entries) units[name] = each;
  return units;
};

/** The units that a request asks of each policy. */
export function unitsOf(
  policies: readonly LedgerPolicy[],
  cost: Cost | undefined,
  otherwise?: Units,
): Units {
  return record(
    policies.map(({ name, counts, algorithm }) => {
      const usual = otherwise ? otherwise[name]! : counts === "denials" ? 0 : 1;
      const given =
        typeof cost === "object" ? (Object.hasOwn(cost, name) ? cost[name] : undefined) : cost;
      if (given === undefined) return [name, usual];
      if (counts === "denials") return [name, 0];
      if (algorithm !== "concurrency") return [name, given];
      return [name, typeof cost === "object" ? Math.min(1, given) : 1];
    }),
  );
}

/** The most that a request may cost under a plan. */
export function mostOf(policy: LedgerPolicy, plan: string | undefined): number {
  const { limit } = numbersUnder(policy, plan);
  return limitOfShard(limit, policy.shards, policy.shards - 1);
}

/** A cost of a request. */
export function drawCost(
  dice: Dice,
  policies: readonly LedgerPolicy[],
  plan: string | undefined,
): Cost | undefined {
  const { chance, int } = dice;
  if (chance(0.15)) return undefined;
  const most = (policy: LedgerPolicy) =>
    Math.ceil(mostOf(policy, plan) / (chance(0.3) ? 1 : 3)) + Number(chance(0.03));
  if (chance(0.3)) {
    const counting = policies.filter(({ algorithm }) => algorithm !== "concurrency");
    return int(0, Math.max(1, Math.min(12, ...counting.map(most))));
  }
  return record(
    policies.flatMap((policy) => {
      if (chance(0.2)) return [];
      if (policy.algorithm === "concurrency") return [[policy.name, Number(chance(0.6))]];
      return [[policy.name, chance(0.15) ? 0 : int(0, most(policy))]];
    }),
  );
}

/** A charge: now and then far beyond the limit. */
export function drawCharge(
  dice: Dice,
  policies: readonly LedgerPolicy[],
  plan: string | undefined,
): Cost {
  const { chance, int } = dice;
  return record(
    policies.map((policy) => {
      const { limit } = numbersUnder(policy, plan);
      const most = chance(0.2) ? 4 * limit : chance(0.5) ? limit : Math.ceil(limit / 4);
      return [policy.name, policy.algorithm === "concurrency" ? 0 : int(0, most)];
    }),
  );
}

/** The actual cost of a reservation of these units; a policy without refunds may only cost more. */
export function drawActual(dice: Dice, policies: readonly LedgerPolicy[], reserved: Units): Cost {
  const { chance, int, among } = dice;
  if (chance(0.15)) return int(0, 12);
  return record(
    policies.flatMap((policy): (readonly [string, number])[] => {
      const { name, algorithm, counts } = policy;
      const units = reserved[name]!;
      if (chance(0.15) || counts === "denials") return [];
      if (algorithm === "concurrency") return [];
      const more = units + among([0, 1, 5, 40]);
      return [[name, givesBack(policy) && chance(0.75) ? int(0, units) : more]];
    }),
  );
}
