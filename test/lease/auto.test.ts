import { describe, expect, test, vi } from "vitest";

import { EVERY_FEATURE } from "../../src/features/every-feature.ts";
import { autoUnits } from "../../src/features/leases/auto-lease.ts";
import { checkSettings } from "../../src/limiter/settings.ts";
import { Faults } from "../../src/options/faults.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import {
  ConfigurationError,
  concurrency,
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
  memoryStore,
  type Policy,
  type SharedDenials,
  shareDenials,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { heldStore, turns } from "../support/optimistic/held-store.ts";

/** Shared denials whose connection the test makes. */
const denialsThrough = (share: SharedDenials["share"]): SharedDenials => ({
  ...shareDenials({ get: async () => undefined, put() {} }),
  share,
});

const bucket = (options: object = {}) =>
  tokenBucket({ name: "bucket", limit: 100, refill: 50, per: "1s", ...options });

/** How the policies of a limiter are leased: by each length in milliseconds, and the limit and window that Redis enforces. */
function leased(options: Partial<CreateLimiterOptions>) {
  const faults = new Faults();
  const { policies, plans } = checkSettings(
    { lease: "auto", policies: [bucket()], ...options },
    EVERY_FEATURE,
    faults,
  );
  faults.throwIfAny();
  return [policies, ...plans.values()].flat().map(({ leaseUs, autoLease, limit, windowUs }) => {
    expect(autoLease === true).toBe(leaseUs !== undefined);
    return [leaseUs && leaseUs / 1000, limit, windowUs / 1e6];
  });
}

describe("the length of an automatic lease", () => {
  test.each([
    ["gives up a tenth of a bucket", bucket(), [200, 90, 1.8]],
    ["is a second at most", tokenBucket({ limit: 1000, refill: 10, per: "1s" }), [1000, 990, 99]],
    ["gives up 2 % of a window", slidingWindowLog({ limit: 500, window: "10s" }), [200, 500, 10.2]],
    [
      "gives up nothing of a fixed window",
      fixedWindow({ limit: 500, window: "1m" }),
      [1000, 500, 60],
    ],
    ["is none below a limit of 32", bucket({ limit: 31 }), [undefined, 31, 0.62]],
    ["fits a limit of 32", bucket({ limit: 32 }), [64, 28, 0.56]],
    [
      "fits a window of half a second",
      slidingWindowLog({ limit: 500, window: "500ms" }),
      [10, 500, 0.51],
    ],
    [
      "is none in a window of less than half a second",
      slidingWindowLog({ limit: 500, window: "499ms" }),
      [undefined, 500, 0.499],
    ],
  ])("%s", (_name, policy, expected) => {
    expect(leased({ policies: [policy] })).toEqual([expected]);
  });

  test("is that of the shortest in its dimension, and of each plan", () => {
    const log = slidingWindowLog({ name: "log", limit: 500, window: "1m" });
    expect(leased({ policies: [bucket(), log] })).toEqual([
      [200, 90, 1.8],
      [200, 500, 60.2],
    ]);
    const plans = { gold: { bucket: { limit: 50 } } };
    expect(leased({ policies: [bucket()], plans })).toEqual([
      [100, 95, 1.9],
      [100, 45, 0.9],
    ]);
    expect(leased({ policies: [bucket()], plans: { free: { bucket: { limit: 5 } } } })).toEqual([
      [undefined, 100, 2],
      [undefined, 5, 0.1],
    ]);
  });

  test.each([{ refundable: true }, { counts: "failures" }, { shards: 2 }])(
    "is none for a whole dimension with %o, unless a policy asks for it",
    (options) => {
      const late = fixedWindow({ name: "late", limit: 100, window: "1m", ...options } as never);
      expect(leased({ policies: [bucket(), late] }).map(([ms]) => ms)).toEqual([
        undefined,
        undefined,
      ]);
      const [by, other] = [bucket({ by: "ip" }), { ...late, by: "key" }];
      expect(leased({ policies: [by, other] }).map(([ms]) => ms)).toEqual([200, undefined]);
      expect(() => leased({ policies: [{ ...late, lease: "auto" }] })).toThrow(ConfigurationError);
    },
  );

  test("is none for slots, and a fault of one that asks for it", () => {
    const slots = concurrency({ name: "slots", limit: 50, ttl: "1m" });
    expect(leased({ policies: [slots] }).map(([ms]) => ms)).toEqual([undefined]);
    expect(() => leased({ policies: [{ ...slots, lease: "auto" } as Policy] })).toThrow(
      /each hold takes a slot of its own/,
    );
  });

  test("differs from one that is given", () => {
    const given = fixedWindow({ name: "given", limit: 500, window: "1m", lease: "200ms" });
    expect(() => leased({ policies: [bucket(), given] })).toThrow(/Give it the lease of/);
  });

  test("goes together with shared denials and optimism", () => {
    expect(leased({ policies: [bucket({ optimistic: true })] })).toEqual([[200, 90, 1.8]]);
    expect(
      leased({ policies: [bucket()], sharedDenials: denialsThrough(() => ({}) as never) }),
    ).toEqual([[200, 90, 1.8]]);
  });

  test("shares no denials, and a dimension that is too small for a lease does", () => {
    const share = vi.fn(() => ({}) as never);
    const sharing = (policy: Policy) => {
      builtLimiter(memoryStore(), {
        lease: "auto",
        policies: [policy],
        sharedDenials: denialsThrough(share),
      });
    };
    sharing(bucket());
    expect(share).not.toHaveBeenCalled();
    sharing(fixedWindow({ limit: 5, window: "1m" }));
    expect(share).toHaveBeenCalledOnce();
  });

  test("is none of other words", () => {
    expect(() => leased({ lease: "often" as never })).toThrow(ConfigurationError);
  });
});

test("the size of an automatic lease covers two round trips or 32 requests, and an eighth of the remaining units at most", () => {
  expect(autoUnits({ left: 10_000, meanwhile: 1 })).toBe(32);
  expect(autoUnits({ left: 10_000, meanwhile: 20.2 })).toBe(41);
  expect(autoUnits({ left: 100, meanwhile: 20.2 })).toBe(12);
});

describe("near the limit", () => {
  test("leases become smaller, Redis decides, and no request is denied while there is room", async () => {
    let now = Date.UTC(2030, 0, 1) * 1000;
    const counts = memoryStore({ now: () => now });
    const asked: string[] = [];
    const store = {
      ...counts,
      decide(...request: Parameters<typeof counts.decide>) {
        asked.push(`${request[0]} ${request[2][0]}`);
        return counts.decide(...request);
      },
    };
    const policies = [fixedWindow({ limit: 200, window: "1h" })];
    const limiter = createLimiter({ store, policies, lease: "auto" });
    let allowed = 0;
    for (let i = 0; i < 220; i++) {
      now += 5_000;
      allowed += Number((await limiter.limit("hot")).allowed);
    }
    expect(allowed).toBe(200);
    const leases = asked.filter((each) => each.startsWith("lease"));
    expect(leases.length).toBeGreaterThan(5);
    expect(leases.at(-1)).toBe("lease 4");
    const sizes = leases.map((each) => Number(each.split(" ")[1]));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(25);
    // The last unit that was leased, those that are asked for one by one, and the first denial.
    const last = asked.slice(asked.lastIndexOf("lease 4") + 1);
    expect(last.every((each) => each === "consume 1")).toBe(true);
    expect(last.length).toBeLessThanOrEqual(34);
  });
});

describe("beside optimistic decisions", () => {
  async function running() {
    const store = heldStore();
    const policies = [fixedWindow({ limit: 100_000, window: "1h", optimistic: true })];
    const limiter = createLimiter({ store, policies, lease: "auto" });
    const reasons: string[] = [];
    const ask = async () => {
      store.nowUs += 10_000;
      reasons.push((await limiter.limit("hot")).reason);
      await turns();
    };
    for (let i = 0; i < 60; i++) {
      await ask();
      await store.calls.at(-1)!.answer();
    }
    return { store, limiter, reasons, ask };
  }

  test("a request is served from leased units, and the next lease is fetched by one that is admitted ahead", async () => {
    const { store, reasons } = await running();
    expect(new Set(reasons)).toEqual(new Set(["optimistic", "allowed"]));
    const operations = store.calls.map(({ operation }) => operation);
    // Until the demand is known, each is settled by itself. No request has waited.
    expect(operations.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => "charge"));
    expect(operations.slice(8).every((each) => each === "lease")).toBe(true);
    expect(reasons.filter((each) => each === "optimistic")).toHaveLength(store.calls.length);
  });

  test("every unit is counted once", async () => {
    const { store, limiter, reasons } = await running();
    const counted = store.calls.reduce((sum, { costs }) => sum + costs[0]!, 0);
    const { remaining } = (await countsOf(store, limiter)).policies[0]!;
    expect(100_000 - remaining).toBe(counted);
    expect(counted).toBeGreaterThanOrEqual(reasons.length);
  });

  async function countsOf(store: ReturnType<typeof heldStore>, limiter: { peek: Function }) {
    const peeked = limiter.peek("hot");
    await turns();
    await store.calls.at(-1)!.answer();
    return peeked;
  }

  test("a lease that is refused leaves the unit to be charged", async () => {
    const { store, ask } = await running();
    // Others take all of it.
    const others = createLimiter({
      store,
      policies: [fixedWindow({ limit: 100_000, window: "1h" })],
    });
    void others.charge("hot", 100_000);
    await store.calls.at(-1)!.answer();
    const before = store.calls.length;
    while (store.calls.length === before) await ask();
    expect(store.calls.at(-1)!.operation).toBe("lease");
    await store.calls.at(-1)!.answer();
    expect(store.calls.at(-1)).toMatchObject({ operation: "charge", costs: [1] });
    await store.calls.at(-1)!.answer();
  });
});
