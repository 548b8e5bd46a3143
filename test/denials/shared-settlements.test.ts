import { expect, test, vi } from "vitest";

import { EVERY_FEATURE } from "../../src/features/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../src/limiter/settings.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { fixedWindow, type Policy, shareDenials } from "../support/limiter/plain.ts";
import { heldStore, turns } from "../support/optimistic/held-store.ts";

const WINDOW_US = 1e6;

const narrow = fixedWindow({ name: "p", limit: 4, window: "1s" });

function made(given: readonly Policy[] = [narrow]) {
  const store = heldStore();
  const put = vi.fn<(key: string, text: string, seconds: number) => void>();
  const notes = new Map<string, string>();
  const isolate = () =>
    buildLimiter(
      store,
      {
        ...DEFAULTS,
        now: () => store.nowUs / 1000,
        policies: given.map((policy) => ({
          ...compilePolicy(policy),
          optimistic: { unsettled: 2, above: 0 },
        })),
        sharedDenials: shareDenials({
          get: async (key) => notes.get(key),
          put(key, text, seconds) {
            put(key, text, seconds);
            notes.set(key, text);
          },
        }),
      },
      EVERY_FEATURE,
    );
  return { store, put, isolate };
}

test("a settlement shares its answer if that leaves no room, and only then", async () => {
  const { store, put, isolate } = made();
  const [one, other] = [isolate(), isolate()];
  // Both have an answer of the first window, whose denial has ended in the second.
  void one.charge("ada", 4);
  void other.charge("ada", 1);
  await turns();
  await store.calls[0]!.answer();
  await store.calls[1]!.answer();
  expect((await other.limit("ada")).reason).toBe("cached-denial");
  expect(put).not.toHaveBeenCalled();

  store.nowUs += WINDOW_US;
  // A third isolate admits ahead of Redis. Its first settlement leaves room.
  const third = isolate();
  for (const at of [2, 3]) {
    expect((await third.limit("ada", { cost: 2 })).reason).toBe("optimistic");
    expect(put).not.toHaveBeenCalled();
    await turns();
    await store.calls[at]!.answer();
  }
  expect(put).toHaveBeenCalledTimes(1);
  const [, text, seconds] = put.mock.calls[0]!;
  expect(text.split(",").map(Number).slice(1, 3)).toEqual([1, 0]);
  expect(seconds).toBe(1);
  expect((await third.limit("ada")).reason).toBe("cached-denial");
  expect((await other.limit("ada")).reason).toBe("cached-denial");
  expect(store.calls).toHaveLength(4);
});

test("a settlement of two dimensions writes nothing about the one that has room", async () => {
  const { store, put, isolate } = made([
    { ...narrow, by: "key" },
    fixedWindow({ name: "all", by: "*", limit: 100, window: "1s" }),
  ]);
  const one = isolate();
  for (const at of [0, 1]) {
    expect((await one.limit({ key: "ada" }, { cost: 2 })).reason).toBe("optimistic");
    await turns();
    await store.calls[at]!.answer();
  }
  expect((await one.limit({ key: "ada" })).reason).toBe("cached-denial");
  expect(put.mock.calls.map(([key]) => key.endsWith(":ada"))).toEqual([true]);
});
