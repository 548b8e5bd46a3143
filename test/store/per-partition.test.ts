import { expect, test } from "vitest";

import { durableObjectStore } from "../../src/durable-object.ts";
import { createLimiter, fixedWindow } from "../../src/index.ts";
import { StoreError } from "../../src/options/errors.ts";
import { perPartition } from "../../src/store/durable-object-partitions.ts";
import type { GuardedStore } from "../../src/store/guarded-store.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { counted, tagOf } from "./scripted-parts.ts";

/* One object for each partition, of which one fails. test/workerd has real objects. */

const GONE = new StoreError("ERR_STORE_TIMEOUT", "gone");

/** Objects by partition; those that have failed answer no further call. */
function objects() {
  const memory = openMemoryStore();
  const gone = new Set<string>();
  const asked: string[] = [];
  const meet = async <Answer>(call: string, [key]: readonly string[], run: () => Answer) => {
    const tag = tagOf(key!);
    asked.push(`${call} ${tag}`);
    if (gone.has(tag)) throw GONE;
    // Later than the failure of another one.
    await new Promise((resolve) => setImmediate(resolve));
    return run();
  };
  const store = perPartition({
    decide: (operation, keys, ...more) =>
      meet(operation, keys, () => memory.decide(operation, keys, ...more)),
    refund: (keys, ...more) => meet("refund", keys, () => memory.refund!(keys, ...more)),
    reset: (keys) => meet("reset", keys, () => memory.reset(keys)),
  } as GuardedStore);
  return { store, memory, gone, asked };
}

const { keys, policies } = counted([
  ["a", "address"],
  ["b", "key"],
  ["b", "hour"],
  ["*", "all"],
]);
const TAKEN = [5, 5, 5, 5];

const left = async (memory: ReturnType<typeof objects>["memory"]) => {
  const { rows } = await memory.decide("peek", keys, TAKEN, policies);
  return rows.map(({ remaining }, i) => policies[i]!.limit - remaining);
};

test("units go back to each object that answers, and each policy of the one that does not has its failure", async () => {
  const { store, memory, gone, asked } = objects();
  const reply = await store.decide("consume", keys, TAKEN, policies);
  expect(await left(memory)).toEqual(TAKEN);
  gone.add("b");
  asked.length = 0;
  await expect(store.refund!(keys, [5, 4, 3, 2], policies, reply)).rejects.toMatchObject({
    refunded: [5, 0, 0, 2],
    failures: [undefined, GONE, GONE, undefined],
  });
  expect(asked).toEqual(["refund a", "refund b", "refund *"]);
  expect(await left(memory)).toEqual([0, 5, 5, 3]);
});

test("a reset reaches each object, and is refused after the others have forgotten if one does not answer", async () => {
  const { store, memory, gone, asked } = objects();
  await store.decide("consume", keys, TAKEN, policies);
  gone.add("b");
  asked.length = 0;
  await expect(store.reset(keys)).rejects.toBe(GONE);
  expect(asked).toEqual(["reset a", "reset b", "reset *"]);
  expect(await left(memory)).toEqual([0, 5, 5, 0]);
  gone.clear();
  await store.reset(keys);
  expect(await left(memory)).toEqual([0, 0, 0, 0]);
});

test("a failing object suspends its own partition, and no other", async () => {
  const asked: string[] = [];
  const row = { allowed: true, remaining: 9, retryAfterUs: 0, resetAfterUs: 1 };
  const namespace = {
    idFromName: (name: string) => ({ name }),
    get: (id: object) => ({
      async decide() {
        const { name } = id as { name: string };
        asked.push(name);
        if (name.includes("ada")) throw new Error("overloaded");
        return { nowUs: 4e15, rows: [row] };
      },
    }),
  };
  const store = durableObjectStore(namespace, { onStoreError: () => {} });
  const policy = fixedWindow({ limit: 10, window: "1d", onFailure: "closed" });
  const limiter = createLimiter({ store, prefix: "p", policies: [policy] });
  const reasons = new Set<string>();
  for (let i = 0; i < 20; i++) {
    await limiter.limit("ada");
    reasons.add((await limiter.limit("bob")).reason);
  }
  const callsOf = (client: string) => asked.filter((name) => name.includes(client)).length;
  expect([callsOf("ada"), callsOf("bob"), [...reasons]]).toEqual([5, 20, ["allowed"]]);
});
