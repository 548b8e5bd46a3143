import { beforeEach, describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Limiter } from "../../src/decide/limiter-types.ts";
import { StoreError } from "../../src/options/errors.ts";
import type { Reply } from "../../src/store/store.ts";
import { limiterOver } from "../support/limiter/limiter-over.ts";
import { row, scriptedStore } from "../support/limiter/scripted-store.ts";

const policies = [fixedWindow({ name: "p", limit: 1, window: "1d" })];
const denied: Reply = { nowUs: 5e9, rows: [row(60_000)] };
const allowed: Reply = { nowUs: 5e9, rows: [row()] };

const gone = () => {
  throw new StoreError("ERR_STORE_UNREACHABLE", "gone");
};

let now: number;
let answer: () => Reply | Promise<Reply>;
let reset: () => Promise<void>;
let limiter: Limiter;
let asked: readonly unknown[];

beforeEach(() => {
  now = 1_000;
  answer = () => denied;
  reset = async () => {};
  const scripted = scriptedStore(() => answer());
  scripted.store.reset = () => reset();
  asked = scripted.asked;
  limiter = limiterOver(scripted.store, { policies }, { now: () => now });
});

const reason = async () => (await limiter.limit("ada")).reason;

describe("a reset", () => {
  test("lets the next request ask again", async () => {
    expect([await reason(), await reason()]).toEqual(["limited", "cached-denial"]);
    await limiter.reset("ada");
    answer = () => allowed;
    now++;
    expect(await reason()).toBe("allowed");
  });

  test("leaves the known denials of others", async () => {
    await limiter.limit("bob");
    await limiter.reset("ada");
    expect((await limiter.limit("bob")).reason).toBe("cached-denial");
  });

  test("forgets a denial that came while Redis was resetting", async () => {
    let finish!: () => void;
    reset = () => new Promise((resolve) => (finish = resolve));
    const resetting = limiter.reset("ada");
    await Promise.resolve();
    now++;
    expect(await reason()).toBe("limited");
    expect(await reason()).toBe("cached-denial");
    now++;
    finish();
    await resetting;
    now++;
    answer = () => allowed;
    expect(await reason()).toBe("allowed");
  });

  test("forgets a denial that was asked for before and comes after it", async () => {
    let arrive!: (reply: Reply) => void;
    answer = () => new Promise((resolve) => (arrive = resolve));
    const late = limiter.limit("ada");
    now++;
    await limiter.reset("ada");
    arrive(denied);
    expect((await late).reason).toBe("limited");
    now++;
    answer = () => allowed;
    expect(await reason()).toBe("allowed");
  });

  test("that Redis does not confirm is an error, and known denials stay", async () => {
    await reason();
    reset = () => Promise.reject(new StoreError("ERR_STORE_TIMEOUT", "late"));
    await expect(limiter.reset("ada")).rejects.toMatchObject({ code: "ERR_STORE_TIMEOUT" });
    expect(await reason()).toBe("cached-denial");
    expect(asked).toHaveLength(1);
  });

  test("forgets the units that this isolate counted even if Redis does not confirm it", async () => {
    answer = gone;
    expect((await limiter.limit("ada")).allowed).toBe(true);
    reset = () => Promise.reject(new StoreError("ERR_STORE_UNREACHABLE", "gone"));
    await expect(limiter.reset("ada")).rejects.toThrow("gone");
    expect((await limiter.limit("ada")).allowed).toBe(true);
  });

  test("forgets an answer that came while Redis was resetting, so that an outage does not go on from it", async () => {
    let finish!: () => void;
    reset = () => new Promise((resolve) => (finish = resolve));
    const resetting = limiter.reset("ada");
    await Promise.resolve();
    now++;
    expect(await reason()).toBe("limited");
    now++;
    finish();
    await resetting;
    now++;
    answer = gone;
    const { allowed: isAllowed, policies: rows } = await limiter.limit("ada");
    expect([isAllowed, rows[0]!.remaining]).toEqual([true, 0]);
  });

  test("forgets the units that this isolate counted of every policy and dimension", async () => {
    answer = gone;
    const window = "1d";
    const three = [
      fixedWindow({ name: "one", by: "key", limit: 3, window }),
      fixedWindow({ name: "two", by: "key", limit: 3, window }),
      fixedWindow({ name: "three", by: "ip", limit: 3, window }),
    ];
    const { store } = scriptedStore(() => answer());
    store.reset = () => reset();
    const several = limiterOver(store, { policies: three }, { now: () => now });
    const ada = { key: "ada", ip: "192.0.2.1" };
    await several.limit(ada, { cost: 3 });
    await several.reset(ada);
    const { policies: rows } = await several.limit(ada);
    expect(rows.map(({ remaining }) => remaining)).toEqual([2, 2, 2]);
  });
});
