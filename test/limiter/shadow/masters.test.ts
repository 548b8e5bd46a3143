import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { fixedWindow, type Policy } from "../../support/limiter/plain.ts";
import { type Fate, limiterOnTwoMasters, BOTH } from "../two-masters.ts";
import { afterwards, shown } from "./pair.ts";

/* A shadow that lies on another master of a Redis Cluster. */

beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterAll(() => void vi.useRealTimers());

const one = fixedWindow({ name: "one", by: "one", limit: 4, window: "1h" });
const shadow = fixedWindow({ name: "other", by: "other", limit: 9, window: "1h", mode: "shadow" });

const FATES = ["answered", "lost", "answer lost", "not sent"] as const satisfies Fate[];

test.for(FATES)("whose calls are %s changes nothing for clients", async (fate) => {
  const own: Policy[] = [one];
  const [without, beside] = [limiterOnTwoMasters(own), limiterOnTwoMasters([...own, shadow])];
  beside.fates.set(BOTH.other, fate);
  for (let request = 0; request < 7; request++) {
    const decision = await beside.limiter.limit(BOTH);
    expect(await shown(decision)).toEqual(await shown(await without.limiter.limit(BOTH)));
    await afterwards();
  }
  const ofShadow = beside.calls.filter(({ keys }) => keys[0]!.includes(`{${BOTH.other}}`));
  expect(beside.calls.length - ofShadow.length).toBe(without.calls.length);
  // One for each admitted request, after its response.
  expect(ofShadow.map(({ call }) => call)).toEqual(Array(4).fill("charge"));
  beside.fates.clear();
  const { remaining } = (await beside.limiter.peek(BOTH)).shadow[0]!;
  expect(remaining).toBe({ answered: 5, "answer lost": 5, lost: 9, "not sent": 9 }[fate]);
});

test("whose master does not answer yet keeps no client waiting", async () => {
  const { limiter, fates, calls } = limiterOnTwoMasters([one, shadow]);
  await limiter.limit(BOTH);
  fates.set(BOTH.other, "lost");
  const before = calls.length;
  await limiter.limit(BOTH);
  expect(calls).toHaveLength(before + 1);
});
