import { describe, expect, onTestFinished, test, vi } from "vitest";

import {
  createLimiter,
  type CreateLimiterOptions,
  type Decision,
  fixedWindow,
  type Limiter,
  type Policy,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { type HeldStore, heldStore, turns } from "../support/optimistic/held-store.ts";

const bucket = (optimistic: Policy["optimistic"]) =>
  tokenBucket({ name: "api", limit: 10, refill: 10, per: "1s", ...(optimistic && { optimistic }) });

function made(policy: Policy, others: Partial<CreateLimiterOptions> = {}) {
  const store = heldStore();
  return { store, limiter: createLimiter({ store, policies: [policy], ...others }) };
}

/** Asks, and lets the store answer what that has sent. */
async function decided(store: HeldStore, asked: Promise<unknown>): Promise<void> {
  void asked;
  await store.calls.at(-1)!.answer();
}

/** Admits a request whose settlement is lost. */
async function losing(store: HeldStore, asked: Promise<unknown>): Promise<void> {
  await asked;
  await turns();
  await store.calls.at(-1)!.lose();
}

/** The decision, if it waits for no answer. */
async function atOnce(decision: Promise<Decision>): Promise<Decision | undefined> {
  let made: Decision | undefined;
  void decision.then((own) => (made = own));
  await turns();
  return made;
}

/** A dimension of its own beside others. */
const own = tokenBucket({
  name: "own",
  by: "key",
  limit: 10,
  refill: 10,
  per: "1s",
  optimistic: true,
});
const ada = { key: "ada" };

const sent = ({ calls }: HeldStore) =>
  calls.map(({ operation, costs }) => [operation, ...costs].join(" "));

describe("an isolate that knows nothing of a partition", () => {
  test("admits at once, and has the request counted by one charge", async () => {
    const { store, limiter } = made(bucket(true));
    const decision = await atOnce(limiter.limit("ada"));
    expect(decision).toMatchObject({ allowed: true, reason: "optimistic", status: 200 });
    expect(decision!.policies).toMatchObject([{ remaining: 9, allowed: true, retryAfterMs: 0 }]);
    expect(decision!.headers().get("RateLimit")).toBe('"api";r=9');
    expect(sent(store)).toEqual(["charge 1"]);
  });

  test("waits for the answer where a unit is open", async () => {
    const { store, limiter } = made(bucket(true));
    await limiter.limit("ada");
    const second = limiter.limit("ada");
    expect(await atOnce(second)).toBeUndefined();
    expect(sent(store)).toEqual(["charge 1", "consume 1"]);
    expect(await atOnce(limiter.limit("bob"))).toMatchObject({ reason: "optimistic" });
    await store.calls[0]!.answer();
    await store.calls[1]!.answer();
    expect(await second).toMatchObject({ allowed: true, reason: "allowed" });
  });

  test("waits for a cost above the open units, and for one of nothing", async () => {
    const { store, limiter } = made(bucket({ unsettled: 2 }));
    expect(await atOnce(limiter.limit("ada", { cost: 3 }))).toBeUndefined();
    expect(await atOnce(limiter.limit("ada", { cost: 0 }))).toBeUndefined();
    expect(await atOnce(limiter.limit("ada", { cost: 2 }))).toMatchObject({ reason: "optimistic" });
    expect(sent(store)).toEqual(["consume 3", "peek 0", "charge 2"]);
  });
});

describe("an isolate that has an answer", () => {
  test("goes on with its numbers, less the open units, down to the share", async () => {
    const { store, limiter } = made(bucket({ above: 0.7 }));
    const remaining: number[] = [];
    for (const at of [0, 1, 2]) {
      const decision = await atOnce(limiter.limit("ada"));
      expect(decision!.reason).toBe("optimistic");
      remaining.push(decision!.policies[0]!.remaining);
      await store.calls[at]!.answer();
    }
    expect(remaining).toEqual([9, 8, 7]);
    expect(await atOnce(limiter.limit("ada"))).toBeUndefined();
    expect(sent(store).at(-1)).toEqual("consume 1");
  });

  test("tells of the whole limit once that is surely there again, and of no wait that is over", async () => {
    const { store, limiter } = made(bucket({ above: 0.2 }));
    await decided(store, limiter.limit("ada", { cost: 5 }));
    store.nowUs += 400_000;
    const early = (await atOnce(limiter.limit("ada")))!;
    expect(early.policies).toMatchObject([{ remaining: 4, resetAfterMs: 100 }]);
    await store.calls[1]!.answer();
    store.nowUs += 200_000;
    expect((await atOnce(limiter.limit("ada")))!.policies).toMatchObject([
      { remaining: 9, resetAfterMs: 100 },
    ]);
  });

  test.each(["1d", "day"] as const)(
    "tells the end of a window of %s that the clock shows, and none before its first answer",
    async (window) => {
      const policy = fixedWindow({ name: "daily", limit: 10, window, optimistic: true });
      const { store, limiter } = made(policy);
      store.nowUs = Date.UTC(2026, 10, 26, 18) * 1000;
      const told: unknown[] = [];
      for (const at of [0, 1]) {
        const decision = (await atOnce(limiter.limit("ada")))!;
        const fields = decision.headers();
        told.push([
          Object.keys(decision.policies[0]!).includes("resetAfterMs"),
          decision.policies[0]!.resetAfterMs,
          fields.get("X-RateLimit-Reset"),
          fields.get("RateLimit"),
          JSON.stringify(decision).includes("resetAfterMs"),
        ]);
        expect(fields.get("X-RateLimit-Remaining")).toBe(`${9 - at}`);
        await store.calls[at]!.answer();
      }
      const ends = String(Date.UTC(2026, 10, 27) / 1000);
      expect(told).toEqual([
        [false, undefined, null, '"daily";r=9', false],
        [true, 6 * 3_600_000, ends, '"daily";r=8;t=21600', true],
      ]);
    },
  );

  test("tells the reset of another dimension by the clock of the store, however far this isolate's clock is off", async () => {
    const daily = { limit: 10, window: "1d", optimistic: true } as const;
    const store = heldStore();
    const clock = store.now!;
    const limiter = createLimiter({
      store: { ...store, now: () => clock() + 400 * 86_400e6 },
      policies: [
        fixedWindow({ ...daily, name: "address", by: "ip", limit: 5 }),
        fixedWindow({ ...daily, name: "account", by: "key" }),
      ],
    });
    store.nowUs = Date.UTC(2026, 10, 26, 18) * 1000;
    await limiter.limit({ ip: "a", key: "k" });
    await turns();
    for (const call of store.calls) await call.answer();
    const fields = (await atOnce(limiter.limit({ ip: "other", key: "k" })))!.headers();
    expect(fields.get("RateLimit")).toBe('"address";r=4, "account";r=8;t=21600');
    const seen = (await atOnce(limiter.limit({ ip: "a", key: "new" })))!.headers();
    expect(seen.get("RateLimit")).toBe('"address";r=3;t=21600, "account";r=9');
    expect(seen.get("X-RateLimit-Reset")).toBe(`${Date.UTC(2026, 10, 27) / 1000}`);
  });

  test("tells the numbers of a decision's own moment, whenever they are read", async () => {
    const { store, limiter } = made(bucket({ unsettled: 9 }));
    await limiter.limit("ada");
    await turns();
    await store.calls[0]!.answer();
    const first = (await atOnce(limiter.limit("ada", { cost: 2 })))!;
    store.nowUs += 10_000;
    const second = (await atOnce(limiter.limit("ada")))!;
    await store.calls[1]!.answer();
    store.nowUs += 5_000_000;
    await limiter.reset("ada");
    expect(first.policies).toMatchObject([{ remaining: 7, resetAfterMs: 100 }]);
    expect(second.policies).toMatchObject([{ remaining: 6, resetAfterMs: 90 }]);
  });

  test("has fewer units open where less is left above the share", async () => {
    const { store, limiter } = made(bucket({ unsettled: 9, above: 0.7 }));
    for (let i = 0; i < 3; i++) {
      expect(await atOnce(limiter.limit("ada"))).toMatchObject({ reason: "optimistic" });
    }
    expect(await atOnce(limiter.limit("ada"))).toBeUndefined();
    expect(sent(store)).toEqual(["charge 1", "consume 1"]);
  });

  test("goes on again when an answer leaves enough", async () => {
    const { store, limiter } = made(bucket({ above: 0.7 }));
    await decided(store, limiter.limit("ada", { cost: 5 }));
    store.nowUs += 1e6;
    await decided(store, limiter.limit("ada"));
    expect(sent(store)).toEqual(["consume 5", "consume 1"]);
    expect(await atOnce(limiter.limit("ada"))).toMatchObject({ reason: "optimistic" });
  });

  test("is not misled by an answer that is older than a denial", async () => {
    const { store, limiter } = made(bucket({ unsettled: 3, above: 0 }));
    void limiter.limit("ada", { cost: 4 });
    await store.calls[0]!.count();
    void limiter.charge("ada", 10);
    await store.calls[1]!.answer();
    await store.calls[0]!.answer();
    expect((await limiter.limit("ada")).reason).toBe("cached-denial");
    store.nowUs += 10e6;
    expect(await atOnce(limiter.limit("ada"))).toBeUndefined();
  });

  test("learns a denial by a settlement", async () => {
    const { store, limiter } = made(bucket({ above: 0 }));
    await decided(store, limiter.limit("ada", { cost: 9 }));
    expect(await atOnce(limiter.limit("ada"))).toMatchObject({ reason: "optimistic" });
    await store.calls[1]!.answer();
    expect(await atOnce(limiter.limit("ada"))).toMatchObject({ reason: "cached-denial" });
    expect(store.calls).toHaveLength(2);
  });
});

describe("settlements", () => {
  test("are sent after the turn of their decisions, all of one partition together", async () => {
    const { store, limiter } = made(bucket({ unsettled: 4, above: 0 }));
    for (let i = 0; i < 3; i++) {
      expect(await limiter.limit("ada")).toMatchObject({ reason: "optimistic" });
    }
    expect(store.calls).toHaveLength(0);
    await turns();
    expect(sent(store)).toEqual(["charge 3"]);
    await store.calls[0]!.answer();
    expect(store.calls).toHaveLength(1);
  });

  test.each<[string, (limiter: Limiter) => Promise<unknown>]>([
    ["consume", (limiter) => limiter.limit("ada", { cost: 2 })],
    ["peek", (limiter) => limiter.peek("ada")],
    ["charge", (limiter) => limiter.charge("ada", 2)],
    ["reset", (limiter) => limiter.reset("ada")],
  ])("of this turn are sent before a %s", async (operation, ask) => {
    const { store, limiter } = made(bucket({ unsettled: 2 }));
    const order: string[] = [];
    store.reset = () => void order.push("reset");
    const { decide } = store;
    store.decide = (...request) => {
      order.push(request[0]);
      return decide(...request);
    };
    await limiter.limit("ada");
    void ask(limiter);
    await turns();
    expect(order).toEqual(["charge", operation]);
  });

  test("of one partition go one after the other, and take along the waiting units", async () => {
    const { store, limiter } = made(bucket({ unsettled: 4, above: 0 }));
    const decisions = [limiter.limit("ada")];
    await turns();
    decisions.push(...Array.from({ length: 3 }, () => limiter.limit("ada")));
    await turns();
    expect(sent(store)).toEqual(["charge 1"]);
    await store.calls[0]!.answer();
    expect(sent(store)).toEqual(["charge 1", "charge 3"]);
    await store.calls[1]!.answer();
    const left = (await Promise.all(decisions)).map(({ policies }) => policies[0]!.remaining);
    expect(left).toEqual([9, 8, 7, 6]);
    expect(store.calls).toHaveLength(2);
    expect((await limiter.limit("ada")).policies[0]!.remaining).toBe(5);
  });

  test("that are lost leave the next decisions to the store", async () => {
    const { store, limiter } = made(bucket(true));
    await losing(store, limiter.limit("ada"));
    store.nowUs += 60e6;
    expect(await atOnce(limiter.limit("ada"))).toBeUndefined();
    await store.calls[1]!.answer();
    expect(await atOnce(limiter.limit("ada"))).toMatchObject({ reason: "optimistic" });
    expect(sent(store)).toEqual(["charge 1", "consume 1", "charge 1"]);
  });

  test("that are lost end optimism for all partitions, until the store has answered", async () => {
    const { store, limiter } = made(bucket(true));
    await losing(store, limiter.limit("ada"));
    store.nowUs += 2e6;
    expect(await atOnce(limiter.limit("bob"))).toBeUndefined();
    expect(sent(store).at(-1)).toEqual("consume 1");
    await store.calls[1]!.answer();
    expect(await atOnce(limiter.limit("cyd"))).toMatchObject({ reason: "optimistic" });
    // The units that the lost one has left in the store are unknown.
    expect(await atOnce(limiter.limit("ada"))).toBeUndefined();
  });

  test.each([
    ["by a clock", 1_000],
    ["by a clock that stands still", 0],
  ])("wait two seconds at most for one whose request may have ended, %s", async (_, usPerMs) => {
    const { store, limiter } = made(bucket({ unsettled: 4, above: 0 }));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const passMs = async (ms: number) => {
      store.nowUs += ms * usPerMs;
      await vi.advanceTimersByTimeAsync(ms);
    };
    for (let i = 0; i < 2; i++) {
      await limiter.limit("ada");
      await passMs(0);
    }
    await passMs(1_999);
    expect(sent(store)).toEqual(["charge 1"]);
    await passMs(1);
    expect(sent(store)).toEqual(["charge 1", "charge 1"]);
  });

  test("whose request has ended before the answer are given up at last", async () => {
    const { store, limiter } = made(bucket(true));
    await limiter.limit("ada");
    store.nowUs += 61e6;
    expect(await atOnce(limiter.limit("ada"))).toBeUndefined();
    await store.calls[1]!.answer();
    expect(await atOnce(limiter.limit("ada"))).toMatchObject({ reason: "optimistic" });
  });
});

test("a reset ends the known state", async () => {
  const { store, limiter } = made(bucket({ above: 0.9 }));
  await decided(store, limiter.limit("ada", { cost: 5 }));
  await limiter.reset("ada");
  expect(await atOnce(limiter.limit("ada"))).toMatchObject({ reason: "optimistic" });
});

describe("under plans", () => {
  const plans = { gold: { api: { limit: 100, refill: 100 } } };

  test("a partition owes its units under all of them", async () => {
    const { store, limiter } = made(bucket(true), { plans });
    await limiter.limit("ada", { plan: "gold" });
    expect(await atOnce(limiter.limit("ada"))).toBeUndefined();
    await store.calls[0]!.answer();
  });

  test("a reset ends the known state under one of them", async () => {
    const { store, limiter } = made(bucket(true), { plans });
    await decided(store, limiter.limit("ada", { plan: "gold", cost: 30 }));
    await limiter.reset("ada");
    expect(await atOnce(limiter.limit("ada"))).toMatchObject({ reason: "optimistic" });
  });

  test("the numbers of one say nothing of another", async () => {
    const { store, limiter } = made(bucket(true), { plans });
    await decided(store, limiter.limit("ada", { plan: "gold", cost: 30 }));
    expect(await atOnce(limiter.limit("ada"))).toBeUndefined();
  });
});

test("a cost above the remaining units leaves none, and no debt", async () => {
  const { store, limiter } = made(bucket({ unsettled: 5, above: 0 }));
  await decided(store, limiter.limit("ada", { cost: 7 }));
  const decision = await atOnce(limiter.limit("ada", { cost: 5 }));
  expect(decision).toMatchObject({ reason: "optimistic", policies: [{ remaining: 0 }] });
});

describe("several dimensions", () => {
  const everybody = (options: object) =>
    fixedWindow({ name: "all", by: "*", limit: 1000, window: "1h", ...options });

  test("that all have it are settled by one call", async () => {
    const store = heldStore();
    const all = everybody({ optimistic: { unsettled: 5 } });
    const limiter = createLimiter({ store, policies: [all, own] });
    const decision = await atOnce(limiter.limit(ada));
    expect(decision).toMatchObject({ reason: "optimistic" });
    expect(decision!.policies.map(({ remaining }) => remaining)).toEqual([999, 9]);
    expect(sent(store)).toEqual(["charge 1 1"]);
    expect(await atOnce(limiter.limit({ key: "bob" }))).toMatchObject({ reason: "optimistic" });
    await store.calls[0]!.answer();
    expect(sent(store)).toEqual(["charge 1 1", "charge 1 1"]);
  });

  test("that one lost settlement covers are both left to the store", async () => {
    const store = heldStore();
    const team = { ...own, name: "team", by: "team" };
    const limiter = createLimiter({ store, policies: [own, team] });
    await losing(store, limiter.limit({ key: "ada", team: "red" }));
    store.nowUs += 2e6;
    // An answer about others ends the distrust of the store.
    const others = limiter.limit({ key: "bob", team: "blue" });
    await turns();
    await store.calls[1]!.answer();
    await others;
    expect(await atOnce(limiter.limit({ key: "ada" }))).toBeUndefined();
    expect(await atOnce(limiter.limit({ team: "red" }))).toBeUndefined();
    expect(sent(store)).toEqual(["charge 1 1", "consume 1 1", "consume 1", "consume 1"]);
  });

  test("of which one has not are decided by one call", async () => {
    const store = heldStore();
    const limiter = createLimiter({ store, policies: [everybody({}), own] });
    expect(await atOnce(limiter.limit(ada))).toBeUndefined();
    expect(sent(store)).toEqual(["consume 1 1"]);
  });
});

describe("beside a dimension whose quota is leased", () => {
  const everybody = fixedWindow({ name: "all", by: "*", limit: 1000, window: "1h", lease: "1s" });

  test("the lease is asked first, and then the rest is settled", async () => {
    const store = heldStore();
    const limiter = createLimiter({ store, policies: [everybody, own] });
    const asked = limiter.limit(ada);
    expect(await atOnce(asked)).toBeUndefined();
    expect(sent(store)).toEqual(["consume 1"]);
    const second = limiter.limit(ada);
    expect(sent(store)).toEqual(["consume 1", "consume 1 1"]);
    await store.calls[0]!.answer();
    expect(await asked).toMatchObject({ reason: "optimistic" });
    expect((await asked).policies.map(({ remaining }) => remaining)).toEqual([999, 9]);
    expect(sent(store).at(-1)).toEqual("charge 1");
    await store.calls[1]!.answer();
    await store.calls[2]!.answer();
    expect((await second).policies.map(({ remaining }) => remaining)).toEqual([998, 9]);
  });

  test("the next lease proves that the store answers again", async () => {
    const store = heldStore();
    const limiter = createLimiter({ store, policies: [{ ...everybody, lease: "10s" }, own] });
    const nextCall = async () => {
      const { length } = store.calls;
      while (store.calls.length === length) {
        void limiter.limit({});
        await turns();
      }
      return store.calls[length]!;
    };
    for (let call = await nextCall(); ; call = await nextCall()) {
      await call.answer();
      if (call.operation === "lease") break;
    }
    await losing(store, limiter.limit(ada));
    store.nowUs += 1.1e6;
    const lease = await nextCall();
    expect(lease.operation).toBe("lease");
    await lease.answer();
    expect(await atOnce(limiter.limit({ key: "bob" }))).toMatchObject({ reason: "optimistic" });
  });

  test("a denial by the lease leaves no unit open in any dimension of the rest", async () => {
    const store = heldStore();
    const all = fixedWindow({ ...everybody, limit: 1, window: "10s" });
    const team = { ...own, name: "team", by: "team" };
    // With known denials, none would come from the lease.
    const limiter = createLimiter({ store, policies: [all, own, team], denialCache: false });
    await decided(store, limiter.limit({ key: "bob" }));
    await store.calls[1]!.answer();
    const denied = limiter.limit({ key: "ada", team: "red" });
    await turns();
    await store.calls[2]!.answer();
    expect(await denied).toMatchObject({ allowed: false, reason: "limited" });
    for (const identity of [{ key: "ada" }, { team: "red" }]) {
      // Sooner than open units count as lost.
      store.nowUs += 10e6;
      const later = limiter.limit(identity);
      await turns();
      await store.calls.at(-1)!.answer();
      expect(await later).toMatchObject({ reason: "optimistic" });
      await store.calls.at(-1)!.answer();
    }
    const operations = store.calls.map(({ operation }) => operation);
    expect(operations).toEqual([
      "consume",
      "charge",
      "consume",
      "consume",
      "charge",
      "consume",
      "charge",
    ]);
  });

  test("leased units prove nothing of a store that gives no answer", async () => {
    const store = heldStore();
    const limiter = createLimiter({ store, policies: [{ ...everybody, lease: "10s" }, own] });
    while (store.calls.at(-1)?.operation !== "lease") {
      void limiter.limit({});
      await turns();
      await store.calls.at(-1)!.answer();
    }
    const { length } = store.calls;
    expect(await limiter.limit(ada)).toMatchObject({ reason: "optimistic" });
    await turns();
    await store.calls[length]!.lose();
    store.nowUs += 1.1e6;
    expect(await limiter.limit({})).toMatchObject({ allowed: true });
    expect(store.calls).toHaveLength(length + 1);
    expect(await atOnce(limiter.limit({ key: "bob" }))).toBeUndefined();
    expect(sent(store).at(-1)).toEqual("consume 1");
  });

  test("a denial by the lease takes nothing of the rest", async () => {
    const store = heldStore();
    const limiter = createLimiter({ store, policies: [{ ...everybody, limit: 1 }, own] });
    await decided(store, limiter.limit({ key: "bob" }));
    await store.calls[1]!.answer();
    store.nowUs += 60e6;
    const denied = limiter.limit(ada);
    await turns();
    await store.calls[2]?.answer();
    expect((await denied).allowed).toBe(false);
    expect(store.calls.filter(({ operation }) => operation === "charge")).toHaveLength(1);
    expect(await atOnce(limiter.limit(ada))).toMatchObject({ allowed: false });
    store.nowUs += 3_600e6;
    const later = limiter.limit(ada);
    await turns();
    await store.calls.at(-1)!.answer();
    expect(await later).toMatchObject({ reason: "optimistic" });
  });
});

test("a hold waits for its answer", async () => {
  const { store, limiter } = made(bucket(true));
  const hold = limiter.reserve("ada");
  await turns();
  expect(sent(store)).toEqual(["consume 1"]);
  await store.calls[0]!.answer();
  expect((await hold).reason).toBe("allowed");
});

test("a settlement keeps the isolate, where Vercel would end it with the response", async () => {
  const kept: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void kept.push(promise);
  vi.stubGlobal(Symbol.for("@vercel/request-context") as never, { get: () => ({ waitUntil }) });
  const { store, limiter } = made(bucket({ unsettled: 2 }));
  await limiter.limit("ada");
  await turns();
  await limiter.limit("ada");
  await turns();
  expect(kept).toHaveLength(2);
  let settled = 0;
  for (const each of kept) void each.then(() => settled++);
  await store.calls[0]!.answer();
  expect(settled).toBe(1);
  await store.calls[1]!.answer();
  expect(settled).toBe(2);
  vi.unstubAllGlobals();
});
