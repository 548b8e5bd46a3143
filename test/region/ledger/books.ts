import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { excessOf } from "../../support/lease/excess.ts";

/*
 * The books of a story, which know nothing of how regions work: what home took, by each of its runs, and what passed. A unit that a
 * region admits was taken by that region at home before, at most one term ago and once; and what passed of the units that a store
 * took in one era keeps the promise of the policy as its user wrote it.
 */

/** A time in which a store counts by one setting, and does not forget. */
export interface Era {
  readonly name: string;
  /** The policy as its user wrote it; `undefined` if it promises nothing. */
  readonly promise: Policy | undefined;
  /** The store's clock at a true time, as if it were never set. */
  clock(trueUs: number): number;
}

/** One policy's units that home took for a region, besides the cost of a request. */
export interface Taken {
  readonly pool: string;
  readonly at: number;
  readonly units: number;
  readonly era: Era;
  /** As home enforces it. */
  readonly policy: CompiledPolicy;
  /** How long the window lasts by home's answer. */
  readonly resetUs: number;
}

/** One policy's units of a request that passed, in true time. */
export interface Passed {
  /** Of what a region spent: its pool. */
  readonly pool?: string | undefined;
  readonly at: number;
  readonly units: number;
  /** That of the store which counted them. */
  readonly era: Era;
}

export interface Books {
  took(taken: Taken): void;
  passed(passed: Passed): void;
  readonly entries: { readonly taken: readonly Taken[]; readonly passed: readonly Passed[] };
  /** What broke a promise; nothing if all is well. */
  faults(): readonly string[];
}

export function openBooks(): Books {
  const taken: Taken[] = [];
  const all: Passed[] = [];
  return {
    took: (each) => void (each.units > 0 && taken.push(each)),
    passed: (each) => void (each.units > 0 && all.push(each)),
    entries: { taken, passed: all },

    faults() {
      const { explained, unexplained } = explain(taken, all);
      const excesses = [...Map.groupBy(explained, ({ era }) => era)].flatMap(([era, list]) => {
        const admissions = list
          .map(({ at, units }) => ({ time: era.clock(at), units }))
          .toSorted((a, b) => a.time - b.time);
        const excess = era.promise ? excessOf(era.promise, admissions) : 0;
        return excess > 0 ? [`${excess} units beyond the policy: ${era.name}`] : [];
      });
      return [...unexplained, ...excesses];
    },
  };
}

/** Finds for each unit that regions spent one that home took for them: the earliest that may still be spent. */
function explain(taken: readonly Taken[], passed: readonly Passed[]) {
  const explained = passed.filter(({ pool }) => pool === undefined);
  const unexplained: string[] = [];
  const stocks = new Map(
    [...Map.groupBy(taken, ({ pool }) => pool)].map(([pool, list]) => [
      pool,
      list.toSorted((a, b) => a.at - b.at).map((each) => ({ each, left: each.units })),
    ]),
  );
  for (const each of passed.toSorted((a, b) => a.at - b.at)) {
    if (each.pool === undefined) continue;
    let rest = each.units;
    for (const batch of stocks.get(each.pool) ?? []) {
      if (rest === 0 || batch.each.at > each.at) break;
      if (batch.left === 0 || !mayBeSpent(batch.each, each.at)) continue;
      const units = Math.min(rest, batch.left);
      batch.left -= units;
      rest -= units;
      explained.push({ at: each.at, units, era: batch.each.era });
    }
    if (rest > 0) unexplained.push(`${rest} units of ${each.pool} that home did not take`);
  }
  return { explained, unexplained };
}

/** Whether a unit may be spent: within a term of home's clock, and within the window in which home counts it where windows have a grid. */
function mayBeSpent({ at, era, policy, resetUs }: Taken, spentAt: number): boolean {
  const { region, implementation } = policy;
  const passedUs = era.clock(spentAt) - era.clock(at);
  if (passedUs > region!.termUs) return false;
  return !implementation.lease.endsWithWindow || passedUs < resetUs;
}
