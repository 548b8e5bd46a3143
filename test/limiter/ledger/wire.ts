import { AsyncLocalStorage } from "node:async_hooks";

import { StoreError } from "../../../src/errors/errors.ts";
import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import { hashSlot } from "../../../src/store/cluster/hash-slot.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Book } from "./book.ts";
import type { Masters } from "./masters.ts";
import type { Call, Fate, Page, Phase } from "./page.ts";

/** The client's act while a call is made. */
export interface Doing {
  readonly page: Page;
  readonly phase: Phase;
}

export const doing = new AsyncLocalStorage<Doing>();

const FAILURES: Record<Exclude<Fate, "answered">, StoreError> = {
  unanswered: new StoreError("ERR_STORE_TIMEOUT", "The answer is lost."),
  lost: new StoreError("ERR_STORE_UNREACHABLE", "The call is lost."),
  late: new StoreError("ERR_STORE_TIMEOUT", "It is slow."),
  refused: new StoreError("ERR_STORE_REFUSED", "It refuses."),
  "not sent": new StoreError("ERR_STORE_SUSPENDED", "It is not asked."),
};

/** The way of each call to its master: it meets its fate, and is entered into the ledger when it runs. */
export interface Wire {
  readonly store: Store;
  /** Lets calls arrive whose clients have given up. */
  arrive(): Promise<void>;
  /** Waits for calls that no request waits for. A call is entered by the clock at its answer, so time must stand still until then. */
  calm(): Promise<void>;
}

export function createWire(
  masters: Masters,
  book: Book,
  fateOf: (master: number) => Fate,
  nowUs: () => number,
): Wire {
  /** One call after the other, as a Redis runs them. */
  const turns = Array.from({ length: masters.count }, () => Promise.resolve() as Promise<unknown>);
  const late: (() => Promise<unknown>)[] = [];

  function inTurn<Answer>(master: number, run: () => Promise<Answer>): Promise<Answer> {
    const turn = turns[master]!.then(run);
    turns[master] = turn.catch(() => {});
    return turn;
  }

  async function send<Answer>(
    operation: Call["operation"],
    keys: readonly string[],
    asked: readonly number[],
    policies: readonly CompiledPolicy[],
    ask: (store: ReturnType<Masters["store"]>) => Answer | Promise<Answer>,
    enter: (call: Call, answer: Answer) => void,
  ): Promise<Answer> {
    if (masters.refuse && new Set(keys.map(hashSlot)).size > 1) return masters.refuse(keys);
    const master = masters.of(keys[0]!);
    const { page, phase } = doing.getStore()!;
    const call: Call = {
      operation,
      page,
      phase,
      fate: fateOf(master),
      parts: keys.map((key, i) => ({
        key,
        name: policies[i]!.name,
        asked: asked[i] ?? 0,
        took: 0,
        charged: 0,
        gave: 0,
      })),
      ran: false,
    };
    page.calls.push(call);
    const run = () =>
      inTurn(master, async () => {
        const answer = await ask(masters.store(master));
        call.ran = true;
        enter(call, answer);
        return answer;
      });
    if (call.fate === "answered") return run();
    if (call.fate === "late") late.push(run);
    if (call.fate === "unanswered") await run();
    throw FAILURES[call.fate];
  }

  const store: Store = {
    now: nowUs,
    decide: (operation, keys, costs, policies, slot) =>
      send(
        operation,
        keys,
        costs,
        policies,
        (master) => master.decide(operation, keys, costs, policies, slot),
        (call, { rows }) => book.decide(call, operation, rows, slot),
      ),
    refund: (keys, costs, policies, at, slot) =>
      send(
        "refund",
        keys,
        costs,
        policies,
        (master) => master.refund!(keys, costs, policies, at, slot),
        (call, given) => book.refund(call, given, slot),
      ),
    extend: (keys, policies, slot) =>
      send(
        "extend",
        keys,
        [],
        policies,
        (master) => master.extend!(keys, policies, slot),
        (call, kept) => book.extend(call, kept, slot),
      ),
    reset: async (keys) => {
      // The limiter finds out whether one call takes keys of several slots.
      if (masters.refuse) await masters.refuse(keys);
    },
  };

  return {
    store,
    async arrive() {
      for (const run of late.splice(0)) await run();
    },
    async calm() {
      let ran: readonly unknown[] = [];
      while (turns.some((turn, master) => turn !== ran[master])) {
        ran = [...turns];
        await Promise.all(ran);
      }
    },
  };
}
