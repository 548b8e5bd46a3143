import { expect, test, vi } from "vitest";

import { StoreError } from "../../src/options/errors.ts";
import { createSlotBreaker } from "../../src/store/cluster/slot-breaker.ts";
import { guardStore } from "../../src/store/guarded-store.ts";
import { CrossSlotError } from "../../src/store/redis/errors.ts";
import type { Reply } from "../../src/store/store.ts";

/* The guard tells the parts of a store apart by the first key of a call, which may have keys of other parts, too. */

const REPLY: Reply = { nowUs: 0, rows: [] };
const GONE = new StoreError("ERR_STORE_UNREACHABLE", "gone");

/** A guard on a clock that the test moves, and a store that answers or throws as the test says. */
function guarded(report?: (error: StoreError) => void) {
  const at = { ms: 1_000, answer: REPLY as Reply | StoreError, asked: 0 };
  const guard = guardStore(
    {
      decide() {
        at.asked++;
        if (at.answer instanceof StoreError) throw at.answer;
        return at.answer;
      },
      reset: () => {},
    },
    { timeoutMs: 100, now: () => at.ms, onStoreError: report },
    createSlotBreaker(),
  );
  const ask = (...tags: readonly string[]) =>
    Promise.resolve(
      guard.decide(
        "consume",
        tags.map((tag) => `tg:{${tag}}:p`),
        tags.map(() => 1),
        [],
      ),
    ).catch((error: StoreError) => error);
  return { at, ask, state: () => guard.state() };
}

test("an outage of one Redis suspends calls with several partitions, in any order of calls, and ends as one", async () => {
  const errors: StoreError[] = [];
  const { at, ask, state } = guarded((error) => errors.push(error));
  let who = 0;
  const asks = async (times: number) => {
    for (let i = 0; i < times; i++) {
      at.ms += 20;
      await ask(`address-${who++}`, `key-${who % 3}`, "*");
    }
  };
  await asks(10);
  expect(at.asked).toBe(10);
  at.answer = GONE;
  await asks(50);
  const { breaker } = state();
  expect(breaker).toBe("open");
  // Twelve in a quarter of a second without any answer, and then five more failures.
  expect(at.asked).toBe(10 + 12 + 5);
  at.answer = REPLY;
  at.ms += 2_000;
  const before = at.asked;
  await asks(20);
  expect(at.asked - before).toBe(20);
  expect(state()).toEqual({ breaker: "closed", suspendedSlots: 0 });
  expect(errors).toEqual([GONE]);
});

test("if calls of all partitions come first, all are suspended together, and answered together again", async () => {
  const { at, ask, state } = guarded(() => {});
  at.answer = GONE;
  for (let i = 0; i < 30; i++) await ask("*", `address-${i}`);
  expect(at.asked).toBe(5);
  expect(await ask("*", "address-0")).toMatchObject({ code: "ERR_STORE_SUSPENDED" });
  at.answer = REPLY;
  at.ms += 1_000;
  for (let i = 0; i < 30; i++) expect(await ask("*", `address-${i}`)).toBe(REPLY);
  expect(state().breaker).toBe("closed");
});

test("a Cluster that refuses keys of several slots has answered", async () => {
  const errors: StoreError[] = [];
  const { at, ask, state } = guarded((error) => errors.push(error));
  at.answer = new CrossSlotError();
  for (let i = 0; i < 30; i++) expect(await ask("*", "address")).toBe(at.answer);
  expect(at.asked).toBe(30);
  expect(state().breaker).toBe("closed");
  expect(errors).toEqual([]);
});

test("its refusal ends an outage, and that is told", async () => {
  const told = vi.spyOn(console, "warn").mockReturnValue();
  try {
    const { at, ask, state } = guarded();
    at.answer = GONE;
    for (let i = 0; i < 5; i++) await ask("*", "address");
    at.ms += 11_000;
    at.answer = new CrossSlotError();
    await ask("*", "address");
    expect(state().breaker).toBe("closed");
    expect(told.mock.calls.map(([line]) => String(line))).toEqual([
      expect.stringContaining("ERR_STORE_UNREACHABLE"),
      expect.stringContaining("Redis answers again"),
    ]);
  } finally {
    told.mockRestore();
  }
});
