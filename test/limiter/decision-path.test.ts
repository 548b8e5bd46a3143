import { describe, expect, test } from "vitest";

import type { LimiterOptions } from "../../src/limiter/options.ts";
import { StoreError } from "../../src/options/errors.ts";
import type { Reply } from "../../src/store/store.ts";
import { limiterOver } from "../support/limiter/limiter-over.ts";
import { fixedWindow } from "../support/limiter/plain.ts";
import { row, scriptedStore } from "../support/limiter/scripted-store.ts";

const p = fixedWindow({ name: "p", limit: 10, window: "1d" });

/** A limiter on a clock in milliseconds that the test moves, over a store with scripted answers. */
function limiterThat(options: Partial<LimiterOptions> = {}) {
  const at = { now: 1_000, reply: { nowUs: 0, rows: [row()] } as Reply, took: 0, failure: false };
  const scripted = scriptedStore(async () => {
    at.now += at.took;
    if (at.failure) throw new StoreError("ERR_STORE_UNREACHABLE", "gone");
    return at.reply;
  });
  const now = () => at.now;
  const limiter = limiterOver(scripted.store, { policies: [p], ...options }, { now });
  return { at, limiter, ...scripted };
}

describe("the cached knowledge of an answer", () => {
  test("is its wait, from the moment that it was asked for, of this cost and larger ones", async () => {
    const { at, limiter, asked } = limiterThat();
    at.reply = { nowUs: 5e9, rows: [row(1_000)] };
    at.took = 10;
    await limiter.limit("ada", { cost: 3 });
    at.reply = { nowUs: 5e9, rows: [row()] };
    at.took = 0;
    at.now = 1_000 + 999;
    expect((await limiter.limit("ada", { cost: 4 })).reason).toBe("cached-denial");
    expect((await limiter.limit("ada", { cost: 2 })).reason).toBe("allowed");
    at.now = 1_000 + 1_000;
    expect((await limiter.limit("ada", { cost: 4 })).reason).toBe("allowed");
    expect(asked).toHaveLength(3);
  });

  test("of a charge is a wait of one unit", async () => {
    const { at, limiter, asked } = limiterThat();
    at.reply = { nowUs: 5e9, rows: [row(1_000)] };
    await limiter.charge("ada", 7);
    expect((await limiter.limit("ada")).reason).toBe("cached-denial");
    expect(asked).toHaveLength(1);
  });

  test("is nothing without a cache", async () => {
    const { at, limiter, asked } = limiterThat({ denialCache: false });
    at.reply = { nowUs: 5e9, rows: [row(1_000)] };
    for (let i = 0; i < 3; i++) expect((await limiter.limit("ada")).reason).toBe("limited");
    expect(asked).toHaveLength(3);
  });

  test("of an estimated answer is dated by its sending, because its clock is a guess", async () => {
    const { at, limiter } = limiterThat();
    // A way of 1 ms; then one that, by its clock, was answered 8 ms after it was asked for.
    at.took = 1;
    at.reply = { nowUs: 5_001_000, rows: [row(1)] };
    await limiter.charge("ada", 1);
    at.now = 1_100;
    at.took = 10;
    at.reply = { nowUs: 5_108_000, rows: [row(1_000)], estimated: true };
    await limiter.charge("ada", 1);
    at.now = 1_100 + 1_000 - 1;
    expect((await limiter.limit("ada")).reason).toBe("cached-denial");
    at.now = 1_100 + 1_000;
    at.reply = { nowUs: 6e9, rows: [row()] };
    expect((await limiter.limit("ada")).reason).toBe("allowed");
  });

  test("is empty after a failure, and after a decision without the store", async () => {
    const { at, limiter, asked } = limiterThat({ onFailure: "closed" });
    at.failure = true;
    expect(await limiter.limit("ada")).toMatchObject({ status: 503, retryAfterMs: 1_000 });
    at.failure = false;
    expect((await limiter.limit("ada")).reason).toBe("allowed");
    expect(asked).toHaveLength(2);
  });
});

describe("a request without a cost", () => {
  test("asks the store as a look does, which takes no units", async () => {
    const { limiter, asked } = limiterThat();
    for (const cost of [0, 1]) await limiter.limit("ada", { cost });
    expect(asked.map(({ operation }) => operation)).toEqual(["peek", "consume"]);
  });

  test("still asks for a decision where its denial counts", async () => {
    const bans = fixedWindow({ name: "bans", counts: "denials", limit: 3, window: "1d" });
    const { at, limiter, asked } = limiterThat({ policies: [p, bans] });
    at.reply = { nowUs: 5e9, rows: [row(), row()] };
    await limiter.limit("ada", { cost: 0 });
    expect(asked).toMatchObject([{ operation: "consume", costs: [0, 0] }]);
  });

  test.each([true, false])(
    "is denied by the store each time, so that a ban counts it, beside a shadow: %j",
    async (isShadowed) => {
      const ban = fixedWindow({ name: "ban", counts: "denials", limit: 10, window: "1d" });
      const shadow = fixedWindow({ name: "shadow", mode: "shadow", limit: 10, window: "1d" });
      const { at, limiter, asked } = limiterThat({
        policies: isShadowed ? [p, ban, shadow] : [p, ban],
      });
      at.reply = { nowUs: 5e9, rows: [row(), row(1_000), ...(isShadowed ? [row()] : [])] };
      for (let request = 0; request < 2; request++) {
        expect((await limiter.limit("ada", { cost: { p: 0 } })).reason).toBe("limited");
      }
      expect(asked.map(({ operation }) => operation)).toEqual(["consume", "consume"]);
    },
  );
});

describe("a failure of the store", () => {
  test("is on the decision, and no other property is", async () => {
    const { at, limiter } = limiterThat();
    expect(Object.hasOwn(await limiter.limit("ada"), "error")).toBe(false);
    at.failure = true;
    const decision = await limiter.limit("ada");
    expect(decision.error).toMatchObject({ code: "ERR_STORE_UNREACHABLE", message: "gone" });
    expect(decision.headers().get("X-RateLimit-Reason")).toBe("store-unavailable");
  });

  test("that is no StoreError is a mistake, and goes on to the caller", async () => {
    const { store, limiter } = limiterThat();
    store.decide = () => {
      throw new RangeError("a mistake");
    };
    await expect(limiter.limit("ada")).rejects.toThrow(RangeError);
  });
});
