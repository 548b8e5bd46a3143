import type { Operation, Row, Slot } from "../../../src/algorithms/model.ts";
import { type Accounts, createAccounts } from "./accounts.ts";
import { ask, type Item, itemOf, take } from "./decided.ts";
import type { Call, Page, Part } from "./page.ts";
import { type LedgerPolicy, TTL_US } from "./policies.ts";

/** The ledger: an account of each key that the masters have, and the faults that it finds. */
export interface Book {
  /** The broken promises. */
  readonly broken: string[];
  readonly accounts: Accounts;
  /** Enters a decision that ran. */
  decide(call: Call, operation: Operation, rows: readonly Row[], slot?: Slot): void;
  /** Enters a refund that ran. */
  refund(call: Call, given: readonly number[], slot?: Slot): void;
  /** Enters an extension that ran. */
  extend(call: Call, kept: readonly boolean[], slot: Slot): void;
}

/** @param nowUsOf the clock of a key's master */
export function createBook(
  policies: readonly LedgerPolicy[],
  nowUsOf: (key: string) => number,
): Book {
  const broken: string[] = [];
  const accounts = createAccounts(policies);

  function compare(call: Call, item: Item, { allowed, remaining }: Row, expected: boolean): void {
    const { part, policy } = item;
    const say = (what: string) =>
      broken.push(`${policy.algorithm} ${part.key}: ${call.operation} of ${item.cost} ${what}`);
    if (allowed !== expected) say(`${allowed ? "finds" : "lacks"} room that the ledger does not`);
    if (remaining !== item.remaining()) say(`leaves ${remaining}, not ${item.remaining()}`);
  }

  function giveBack({ id }: Page, part: Part, given: number, slot: Slot | undefined): void {
    const { key, name, asked } = part;
    const nowUs = nowUsOf(key);
    const { algorithm } = accounts.name(key, name);
    part.gave = given;
    const say = (due: number | string) =>
      broken.push(`${algorithm} ${key}: page ${id} gets ${given} of ${asked} back, not ${due}`);
    if (algorithm === "concurrency") {
      const due = Number(accounts.slots(key).free(slot?.id, nowUs));
      if (given !== due) say(due);
      return;
    }
    const account = accounts.units(key);
    const own = account.outstanding(id);
    if (given > own) say(`what others took: it has ${own}`);
    const due = account.due(id, asked, nowUs);
    if (due !== undefined && given !== due) say(due);
    account.giveBack(id, asked, given, nowUs);
  }

  return {
    broken,
    accounts,

    decide(call, operation, rows, slot) {
      const items = call.parts.map((part) =>
        itemOf(accounts, call.page, part, nowUsOf(part.key), slot),
      );
      const wasExact = items.map(({ exact }) => exact);
      // Where the ledger is not exact, it takes the store's answer.
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

    refund({ page, parts }, given, slot) {
      parts.forEach((part, i) => giveBack(page, part, given[i]!, slot));
    },

    extend({ page, parts }, kept, { id, ttlUs }) {
      parts.forEach((part, i) => {
        const nowUs = nowUsOf(part.key);
        accounts.name(part.key, part.name);
        const slots = accounts.slots(part.key);
        const has = slots.has(id, nowUs);
        part.kept = kept[i]!;
        if (kept[i] !== has) {
          const what = has ? "loses a slot" : "extends none";
          broken.push(`slots ${part.key}: page ${page.id} ${what}`);
        }
        if (has) slots.take(id, nowUs + Math.min(TTL_US, ttlUs));
      });
    },
  };
}
