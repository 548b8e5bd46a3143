import { describe, expect, test } from "vitest";

import { limiterOver } from "../support/limiter/limiter-over.ts";
import { fixedWindow, type Policy } from "../support/limiter/plain.ts";
import { NO_ANSWER, watchedStore } from "../support/limiter/watched-store.ts";

/** A limiter whose store is away. */
function limiterOf(policies: readonly Policy[], onFailure: "open" | "closed" | "local" = "local") {
  const { store, world } = watchedStore();
  world.failure = NO_ANSWER;
  return limiterOver(store, { onFailure, policies });
}

const window = "30d";
const open = fixedWindow({ name: "open", limit: 9, window, onFailure: "open" });
const wide = fixedWindow({ name: "wide", limit: 3, window, onFailure: "local" });
const narrow = fixedWindow({ name: "narrow", limit: 1, window, onFailure: "local" });
const closed = fixedWindow({ name: "closed", limit: 9, window, onFailure: "closed" });

/** Whether each policy had room, and its remaining units. */
async function rowsOf(decision: ReturnType<ReturnType<typeof limiterOf>["limit"]>) {
  const { policies, status } = await decision;
  return [status, ...policies.map(({ allowed, remaining }) => [allowed, remaining])];
}

describe("without a store", () => {
  test("each policy answers by its own verdict, in its own place", async () => {
    const { limit } = limiterOf([narrow, open, wide]);
    expect(await rowsOf(limit("ada"))).toEqual([200, [true, 0], [true, 9], [true, 2]]);
    // All or nothing: the one without room keeps the others from counting.
    expect(await rowsOf(limit("ada"))).toEqual([429, [false, 0], [true, 9], [true, 2]]);
    expect(await rowsOf(limit("ada"))).toEqual([429, [false, 0], [true, 9], [true, 2]]);
    expect(await rowsOf(limit("bob"))).toEqual([200, [true, 0], [true, 9], [true, 2]]);
  });

  test("policies count apart from each other, and so do limiters", async () => {
    const one = limiterOf([wide, fixedWindow({ name: "other", limit: 3, window })]);
    await one.charge("ada", 2);
    expect(await rowsOf(one.limit("ada"))).toEqual([200, [true, 0], [true, 0]]);
    expect(await rowsOf(limiterOf([wide]).limit("ada"))).toEqual([200, [true, 2]]);
  });

  test("a soft policy that fails closed has room, as it denies nothing", async () => {
    const { limit } = limiterOf([wide, { ...closed, mode: "soft" }]);
    expect(await rowsOf(limit("ada"))).toEqual([200, [true, 2], [true, 9]]);
  });

  test("if one fails closed, no unit is taken, and a charge counts", async () => {
    const limiter = limiterOf([wide, closed]);
    expect(await rowsOf(limiter.limit("ada"))).toEqual([503, [true, 3], [false, 0]]);
    expect(await rowsOf(limiter.limit("ada"))).toEqual([503, [true, 3], [false, 0]]);
    expect(await rowsOf(limiter.charge("ada", 2))).toEqual([503, [true, 1], [false, 0]]);
    expect((await limiter.limit("ada")).retryAfterMs).toBe(1_000);
  });

  test("a look takes nothing, a cost of nothing neither, a charge goes into debt", async () => {
    const limiter = limiterOf([wide]);
    expect(await rowsOf(limiter.peek("ada"))).toEqual([200, [true, 3]]);
    expect(await rowsOf(limiter.limit("ada", { cost: 0 }))).toEqual([200, [true, 3]]);
    expect(await rowsOf(limiter.charge("ada", 4))).toEqual([429, [false, 0]]);
    expect(await rowsOf(limiter.limit("ada", { cost: 0 }))).toEqual([429, [false, 0]]);
  });

  test("a policy without a verdict has the limiter's", async () => {
    const plain = fixedWindow({ name: "plain", limit: 3, window });
    expect(await rowsOf(limiterOf([plain], "open").limit("ada"))).toEqual([200, [true, 3]]);
    expect(await rowsOf(limiterOf([plain], "closed").limit("ada"))).toEqual([503, [false, 0]]);
    expect(await rowsOf(limiterOf([plain], "local").limit("ada"))).toEqual([200, [true, 2]]);
  });
});
