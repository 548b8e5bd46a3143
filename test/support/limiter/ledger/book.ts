import type { Operation, Row, Slot } from "../../../../src/algorithms/model.ts";
import {
  type Account,
  bucketAccount,
  slotAccount,
  type SlotAccount,
  windowAccount,
} from "./account.ts";
import type { Call, Page, Part } from "./page.ts";
import {
  limitOfShard,
  type LedgerPolicy,
  type Numbers,
  numbersUnder,
  TTL_US,
} from "./policies.ts";

/*
 * The ledger: an account of each key that the masters have, and what it finds wrong. It enters what ran, and says
 * beforehand what has to come of it.
 */

export interface Book {
  /** What broke a promise. */
  readonly broken: string[];
  /** Keys that a master was asked about. */
  readonly keys: ReadonlyMap<string, LedgerPolicy>;
  /** Enters a decision that ran. */
  decide(call: Call, operation: Operation, rows: readonly Row[], slot?: Slot): void;
  /** Enters a refund that ran. */
  refund(call: Call, given: readonly number[]): void;
  /** Enters an extension that ran. */
  extend(call: Call, kept: readonly boolean[], slot: Slot): void;
  account(key: string): Account;
  slots(key: string): SlotAccount;
  /** A key's limit under a plan: a shard has its part. */
  limitOf(key: string, plan: string | undefined): number;
}

const SHARD = /#(\d+)\}/;

/**
 * @param nowUsOf the clock of a key's master
 */
export function createBook(
  policies: readonly LedgerPolicy[],
  nowUsOf: (key: string) => number,
): Book {
  const broken: string[] = [];
  const keys = new Map<string, LedgerPolicy>();
  const accounts = new Map<string, Account>();
  const slotAccounts = new Map<string, SlotAccount>();

  function openAccount({ algorithm, under, shards, windowUs }: LedgerPolicy): Account {
    if (algorithm === "concurrency") throw new Error("slots have accounts of their own");
    if (algorithm !== "token-bucket") return windowAccount(algorithm, windowUs);
    const { refill } = under["none"]!;
    const isOneRate = Object.values(under).every((numbers) => numbers.refill === refill);
    return bucketAccount((windowUs / refill) * shards, isOneRate);
  }

  function account(key: string): Account {
    const found = accounts.get(key) ?? openAccount(keys.get(key)!);
    accounts.set(key, found);
    return found;
  }

  function slots(key: string): SlotAccount {
    const found = slotAccounts.get(key) ?? slotAccount();
    slotAccounts.set(key, found);
    return found;
  }

  function limitOf(key: string, plan: string | undefined): number {
    const policy = keys.get(key)!;
    const { limit }: Numbers = numbersUnder(policy, plan);
    return limitOfShard(limit, policy.shards, Number(SHARD.exec(key)?.[1] ?? 0));
  }

  /** One policy of a decision, as the ledger sees it. */
  function itemOf({ page }: Call, part: Part, slot: Slot | undefined) {
    const { key, name, asked: cost } = part;
    const policy = policies.find((each) => each.name === name)!;
    keys.set(key, policy);
    const nowUs = nowUsOf(key);
    const limit = limitOf(key, page.plan);
    const isBan = policy.mode === "enforce" && policy.counts === "denials";
    const base = { part, policy, cost, limit, isBan, isAdvisory: policy.mode !== "enforce" };
    if (policy.algorithm === "concurrency") {
      const own = slots(key);
      return {
        ...base,
        exact: true,
        fits: () => cost === 0 || own.fits(page.id, limit, nowUs),
        take() {
          if (!slot) return 0;
          if (!own.has(page.id, nowUs)) own.take(page.id, nowUs + Math.min(TTL_US, slot.ttlUs));
          return 1;
        },
        charge: () => 0,
        remaining: () => Math.max(0, limit - own.used(nowUs)),
      };
    }
    const own = account(key);
    return {
      ...base,
      get exact() {
        return own.exact;
      },
      fits: (units: number) => own.fits(units, limit, nowUs),
      take(units: number) {
        own.take(page.id, units, nowUs);
        return units;
      },
      charge: (units: number) => own.charge(units, limit, nowUs),
      remaining: () => Math.max(0, limit - own.used(nowUs)),
    };
  }

  type Item = ReturnType<typeof itemOf>;

  /** Whether each policy has room; a ban first counts the denials that the call brings. */
  function ask({ cost, isBan, fits, charge, part }: Item, operation: Operation): boolean {
    if (!isBan) return fits(cost);
    if (operation === "consume" && cost > 0) part.charged += charge(cost);
    return fits(1);
  }

  function take(items: readonly Item[], answers: readonly boolean[], operation: Operation): void {
    if (operation === "charge") {
      for (const { part, isBan, cost, charge } of items) if (!isBan) part.charged += charge(cost);
      return;
    }
    if (operation !== "consume") return;
    const denying = items.filter(({ isAdvisory }, i) => !isAdvisory && !answers[i]);
    items.forEach((item, i) => {
      if (item.isBan) {
        if (denying.some((each) => each.part.key !== item.part.key) && items.length > 1) {
          item.part.charged += item.charge(1);
        }
      } else if (denying.length === 0 && answers[i] && item.cost > 0) {
        item.part.took += item.take(item.cost);
      }
    });
  }

  function compare(call: Call, item: Item, { allowed, remaining }: Row, expected: boolean): void {
    const { part, policy } = item;
    const say = (what: string) =>
      broken.push(`${policy.algorithm} ${part.key}: ${call.operation} of ${item.cost} ${what}`);
    if (allowed !== expected) say(`${allowed ? "finds" : "lacks"} room that the ledger does not`);
    if (remaining !== item.remaining()) say(`leaves ${remaining}, not ${item.remaining()}`);
  }

  return {
    broken,
    keys,
    account,
    slots,
    limitOf,

    decide(call, operation, rows, slot) {
      const items = call.parts.map((part) => itemOf(call, part, slot));
      const wasExact = items.map(({ exact }) => exact);
      // What the ledger cannot say exactly, it takes from the store.
      const answers = items.map((item, i) =>
        wasExact[i] ? ask(item, operation) : rows[i]!.allowed,
      );
      take(items, answers, operation);
      items.forEach((item, i) => {
        item.part.allowed = rows[i]!.allowed;
        item.part.waitUs = rows[i]!.retryAfterUs;
        if (wasExact[i] && item.exact) compare(call, item, rows[i]!, answers[i]!);
      });
    },

    refund({ page, parts }, given) {
      parts.forEach((part, i) => {
        const { key, name, asked } = part;
        const nowUs = nowUsOf(key);
        const policy = keys.get(key) ?? policies.find((each) => each.name === name)!;
        keys.set(key, policy);
        part.gave = given[i]!;
        const say = (due: number | string) =>
          broken.push(
            `${policy.algorithm} ${key}: page ${page.id} gets ${given[i]} of ${asked} back, not ${due}`,
          );
        if (policy.algorithm === "concurrency") {
          const due = Number(slots(key).free(page.id, nowUs));
          if (given[i] !== due) say(due);
          return;
        }
        const own = account(key);
        if (given[i]! > own.outstanding(page.id)) {
          say(`what others took: it has ${own.outstanding(page.id)}`);
        }
        const due = own.due(page.id, asked, nowUs);
        if (due !== undefined && given[i] !== due) say(due);
        own.giveBack(page.id, asked, given[i]!, nowUs);
      });
    },

    extend({ page, parts }, kept, { ttlUs }) {
      parts.forEach((part, i) => {
        const { key } = part;
        const nowUs = nowUsOf(key);
        keys.set(key, policies.find(({ name }) => name === part.name)!);
        const has = slots(key).has(page.id, nowUs);
        part.kept = kept[i]!;
        if (kept[i] !== has) {
          broken.push(`slots ${key}: page ${page.id} ${has ? "loses a slot" : "extends none"}`);
        }
        if (has) slots(key).take(page.id, nowUs + Math.min(TTL_US, ttlUs));
      });
    },
  };
}

/** A new page of the ledger. */
export function newPage(id: number, fields: Omit<Page, "id" | "calls">): Page {
  return { id, calls: [], ...fields };
}
