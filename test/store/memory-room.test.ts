import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { type MemoryStoreOptions, openMemoryStore } from "../../src/store/memory-store.ts";
import { compile } from "../support/compile-policy.ts";

/** A store whose clock the test moves, in seconds. */
function storeOf(options: MemoryStoreOptions) {
  let now = 1e15;
  const store = openMemoryStore({ ...options, now: () => now });
  return {
    store,
    pass: (seconds: number) => void (now += seconds * 1e6),
    /** The remaining units after one was taken. */
    async take(key: string, policy: Policy): Promise<number> {
      const { rows } = await store.decide("consume", [key], [1], compile([policy]));
      return rows[0]!.remaining;
    },
  };
}

const second = fixedWindow({ limit: 9, window: "1s" });
const day = fixedWindow({ limit: 9, window: "1d" });
const minute = segmentedWindow({ limit: 9, window: "1m", segments: 60 });

test("a window of many segments takes more memory than one of few", async () => {
  const { pass, take } = storeOf({ maxBytes: 1_950 });
  // Two of 61 counts fit and one of one, but not three of 61.
  const keys = ["a", "b", "c"];
  for (const key of keys) await take(key, minute);
  pass(60);
  for (const key of keys) expect(await take(key, minute)).toBe(7);
  expect(await take("a", minute)).toBe(8);
});

test("a count with a part given back does not end before its time", async () => {
  const { pass, take, store } = storeOf({ maxEntries: 2 });
  const policies = compile([day]);
  const reply = await store.decide("consume", ["given back"], [3], policies);
  expect(await store.refund!(["given back"], [1], policies, reply)).toEqual([1]);
  await take("over", second);
  pass(3);
  // An expired count makes room for it.
  await take("other", day);
  expect(await take("given back", day)).toBe(6);
});
