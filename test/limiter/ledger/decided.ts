import type { Operation, Slot } from "../../../src/algorithms/model.ts";
import type { Accounts } from "./accounts.ts";
import type { Page, Part } from "./page.ts";
import { type LedgerPolicy, TTL_US } from "./policies.ts";

/*
 * How a decision takes its units, by the ledger: each policy is asked, and if none that may deny does, all of them take. A
 * policy that counts denials is charged for one that another policy gives.
 */

/** One policy of a decision. */
export interface Item {
  readonly part: Part;
  readonly policy: LedgerPolicy;
  readonly cost: number;
  readonly isBan: boolean;
  readonly isAdvisory: boolean;
  /** Whether the ledger can say each number. */
  readonly exact: boolean;
  fits(units: number): boolean;
  take(units: number): number;
  charge(units: number): number;
  remaining(): number;
}

export function itemOf(
  { name, slots, units, limitOf }: Accounts,
  { id, plan }: Page,
  part: Part,
  nowUs: number,
  slot: Slot | undefined,
): Item {
  const { key, asked: cost } = part;
  const policy = name(key, part.name);
  const limit = limitOf(key, plan);
  const isAdvisory = policy.mode !== "enforce";
  const isBan = !isAdvisory && policy.counts === "denials";
  const base = { part, policy, cost, isBan, isAdvisory };
  if (policy.algorithm === "concurrency") {
    const own = slots(key);
    return {
      ...base,
      exact: true,
      fits: () => cost === 0 || own.fits(slot?.id, limit, nowUs),
      take() {
        if (!slot) return 0;
        if (!own.has(slot.id, nowUs)) own.take(slot.id, nowUs + Math.min(TTL_US, slot.ttlUs));
        return 1;
      },
      charge: () => 0,
      remaining: () => Math.max(0, limit - own.used(nowUs)),
    };
  }
  const own = units(key);
  return {
    ...base,
    get exact() {
      return own.exact;
    },
    fits: (wanted) => own.fits(wanted, limit, nowUs),
    take(wanted) {
      own.take(id, wanted, nowUs);
      return wanted;
    },
    charge: (wanted) => own.charge(wanted, limit, nowUs),
    remaining: () => Math.max(0, limit - own.used(nowUs)),
  };
}

/** Whether a policy has room; a ban first counts the denials that the call brings. */
export function ask({ cost, isBan, fits, charge, part }: Item, operation: Operation): boolean {
  if (!isBan) return fits(cost);
  if (operation === "consume" && cost > 0) part.charged += charge(cost);
  return fits(1);
}

/** @param answers whether each policy has room */
export function take(
  items: readonly Item[],
  answers: readonly boolean[],
  operation: Operation,
): void {
  if (operation === "charge") {
    for (const { part, isBan, cost, charge } of items) if (!isBan) part.charged += charge(cost);
    return;
  }
  if (operation !== "consume") return;
  const denying = items.filter(({ isAdvisory }, i) => !isAdvisory && !answers[i]);
  items.forEach((item, i) => {
    if (item.isBan) {
      const byOther = denying.some(({ part }) => part.key !== item.part.key);
      if (byOther && items.length > 1) item.part.charged += item.charge(1);
    } else if (denying.length === 0 && answers[i] && item.cost > 0) {
      item.part.took += item.take(item.cost);
    }
  });
}
