import { beforeEach, describe, expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import { calendar } from "../../src/features/calendar-feature.ts";
import { StoreError } from "../../src/options/errors.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { Reply, Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { fixedWindow } from "../support/limiter/plain.ts";
import { slidingWindowLog } from "../support/limiter/plain.ts";
import { tokenBucket } from "../support/limiter/plain.ts";
import { type LeasedStore, leasedStore } from "./leased-store.ts";

const START = 4_000_000_000_000;
const HOT = "hot";

/** The isolate's clock and the store's, in milliseconds. */
let clock: number;
/** The calls of the store, and the time of one way to it. */
let asked: [Operation, number][];
let oneWay: number;
let broken: boolean;
/** Calls that are on their way, in the order of their sending. */
let under: (() => Promise<void>)[];

beforeEach(() => {
  clock = START;
  asked = [];
  oneWay = 0;
  broken = false;
  under = [];
});

const bucket = tokenBucket({ limit: 1_000, refill: 1_000, per: "1s" });

function isolate(...given: Policy[]) {
  const policies = compile(given.length > 0 ? given : [bucket]);
  const model = openMemoryStore({ now: () => clock * 1000 });
  const distant: Store = {
    async decide(operation, keys, costs) {
      asked.push([operation, costs[0]!]);
      if (broken) throw new StoreError("ERR_STORE_UNREACHABLE", "gone");
      clock += oneWay;
      const reply = await model.decide(operation, keys, costs, policies);
      clock += oneWay;
      return reply;
    },
    reset: (keys) => model.reset(keys),
  };
  const slow: Store = {
    ...distant,
    decide: (...request) =>
      new Promise((resolve, reject) => {
        under.push(() => Promise.resolve(distant.decide(...request)).then(resolve, reject));
      }),
  };
  const options = { leaseUs: 100_000, now: () => clock };
  const store = leasedStore(distant, policies, options);
  return {
    model,
    policies,
    store,
    slow: leasedStore(slow, policies, options),
    ask: (cost = 1, identity = HOT, operation: "consume" | "peek" | "charge" = "consume") =>
      store.decide(operation, identity, cost),
    /** This many requests, a millisecond apart. */
    async demand(requests: number, on: LeasedStore = store): Promise<number> {
      let allowed = 0;
      for (let request = 0; request < requests; request++) {
        clock++;
        allowed += Number(isAllowed(await on.decide("consume", HOT, 1)));
      }
      return allowed;
    },
    left: () =>
      (model.decide("peek", [`tg:{hot}:${policies[0]!.key}`], [1], policies) as Reply).rows[0]!
        .remaining,
  };
}

/** This many requests that the store decided one by one. */
const singly = (requests: number) => Array.from({ length: requests }, () => ["consume", 1]);

const isAllowed = ({ rows }: Pick<Reply, "rows">) => rows.every(({ allowed }) => allowed);

describe("a call of the store", () => {
  test("an identity that is not busy is decided there, request by request", async () => {
    const { ask } = isolate();
    for (let request = 0; request < 50; request++) {
      clock += 15;
      expect(isAllowed(await ask())).toBe(true);
    }
    expect(asked).toEqual(singly(50));
  });

  test("of a busy one half of the demand in a lease's time, when the last is spent", async () => {
    const { demand, left } = isolate();
    await demand(1_000);
    const leases = asked.filter(([operation]) => operation === "lease").map(([, units]) => units);
    expect(asked.filter(([operation]) => operation === "consume")).toHaveLength(7);
    expect(leases.slice(0, 4)).toEqual([4, 6, 9, 13]);
    expect(leases.slice(-5)).toEqual(Array(5).fill(50));
    expect(leases.length).toBeLessThan(30);
    expect(left()).toBeGreaterThan(940);
  });

  test("the next before the last is spent, so early that it is there in time", async () => {
    const { demand } = isolate();
    // One after the other, requests that each wait for the store are no crowd.
    await demand(100);
    oneWay = 8;
    await demand(200);
    asked = [];
    const before = clock;
    await demand(500);
    // A request that asks waits for 16 ms, the others do not wait.
    expect(clock - before).toBe(500 + 16 * asked.length);
    expect(asked.every(([operation]) => operation === "lease")).toBe(true);
    expect(asked.length).toBeLessThan(25);
  });

  test("no units ahead where it is too far away for so short a lease", async () => {
    const { demand } = isolate();
    oneWay = 13;
    await demand(100);
    expect(asked).toEqual(singly(100));
  });

  test("peeks and charges go there as they are", async () => {
    const { ask, demand } = isolate();
    await demand(100);
    asked = [];
    await ask(1, HOT, "peek");
    await ask(7, HOT, "charge");
    expect(asked).toEqual([
      ["peek", 1],
      ["charge", 7],
    ]);
  });

  test("a larger cost is served from leased units, or decided there", async () => {
    const { ask, demand } = isolate();
    await demand(100);
    while ((await held(ask)) < 10) await demand(1);
    asked = [];
    expect(isAllowed(await ask(10))).toBe(true);
    expect(asked).toEqual([]);
    expect(isAllowed(await ask(100))).toBe(true);
    expect(asked).toEqual([["consume", 100]]);
  });
});

/** The leased units: those reported as remaining beyond the store's own. */
async function held(ask: ReturnType<typeof isolate>["ask"]): Promise<number> {
  const before = asked.length;
  const { rows } = await ask();
  if (asked.length > before) return 0;
  const there = await ask(1, HOT, "peek");
  return rows[0]!.remaining - there.rows[0]!.remaining;
}

describe("how long units are leased", () => {
  /** An isolate that has just leased 50 units of a log, which gives nothing back meanwhile. */
  async function leased(policy: Policy = slidingWindowLog({ limit: 200, window: "10s" })) {
    const own = isolate(policy);
    do await own.demand(1);
    while (asked.at(-1)![0] !== "lease" || asked.at(-1)![1] < 20);
    const sentAt = clock;
    asked = [];
    return { ...own, sentAt };
  }

  test("until a lease after they were asked for, less the drift of clocks, and not a moment longer", async () => {
    const { ask, sentAt } = await leased();
    clock = sentAt + 100 * (1 - 5e-4) - 0.001;
    await ask();
    expect(asked).toEqual([]);
    clock = sentAt + 100 * (1 - 5e-4);
    await ask();
    expect(asked).toHaveLength(1);
  });

  test("the way back counts, too", async () => {
    oneWay = 5;
    const { ask, sentAt } = await leased();
    // The clock stands at the arrival, ten milliseconds after the sending.
    clock = sentAt - 10 + 100 * (1 - 5e-4);
    await ask();
    expect(asked).toHaveLength(1);
  });

  test.for([
    ["1s", 1_000],
    ["hour", 3_600_000],
  ] as const)("not beyond the end of a fixed window of %s", async ([window, lengthMs]) => {
    const end = START - (START % lengthMs) + lengthMs;
    clock = end - 100;
    const policies = [fixedWindow({ limit: 1_000, window })];
    const [policy] = calendar.adopt(policies, { now: () => clock * 1000 } as Store);
    const { ask } = await leased(policy);
    expect(clock).toBeGreaterThan(end - 80);
    expect(clock).toBeLessThan(end - 30);
    clock = end - 1;
    await ask();
    expect(asked).toEqual([]);
    clock = end;
    await ask();
    expect(asked).toHaveLength(1);
  });
});

describe("when the store has no more", () => {
  /** A bucket of 100 that gives one unit back every 10 ms, drained by an isolate that asks every millisecond. */
  async function drained() {
    const own = isolate(tokenBucket({ limit: 100, refill: 100, per: "1s" }));
    while ((await own.demand(1)) === 1);
    return own;
  }

  test("no request asks again before a quarter of a lease, and every client is told to wait", async () => {
    const { ask, demand } = await drained();
    asked = [];
    while (asked.length === 0) await demand(1);
    const sentAt = clock;
    asked = [];
    for (clock++; clock < sentAt + 25; clock++) {
      const { rows } = await ask();
      if (rows[0]!.allowed) continue;
      expect(rows[0]).toMatchObject({ remaining: 0, retryAfterUs: (sentAt + 25 - clock) * 1000 });
    }
    expect(asked).toEqual([]);
    await ask();
    expect(asked).toHaveLength(1);
  });

  test("all that comes back is given out all the same", async () => {
    const { demand } = await drained();
    asked = [];
    expect(await demand(10_000)).toBeGreaterThanOrEqual(998);
    expect(asked.length).toBeLessThanOrEqual(400);
  });

  test("a wait that is longer than the pause is told as it is", async () => {
    const { demand, ask } = isolate(slidingWindowLog({ limit: 100, window: "10s" }));
    const first = clock + 1;
    await demand(101);
    const { rows } = await ask();
    expect(rows[0]).toMatchObject({
      allowed: false,
      retryAfterUs: (first + 10_000 - clock) * 1000,
    });
  });
});

describe("while a lease is under way", () => {
  test("a request that finds no units asks for itself if none was denied", async () => {
    const { slow } = isolate();
    const consume = () => slow.decide("consume", HOT, 1);
    for (let request = 0; request < 7; request++) {
      clock++;
      const answer = consume();
      await under.shift()!();
      expect(isAllowed(await answer)).toBe(true);
    }
    const first = consume();
    const second = consume();
    expect(under).toHaveLength(2);
    await under.shift()!();
    await under.shift()!();
    expect(isAllowed(await first) && isAllowed(await second)).toBe(true);
    expect(asked.slice(-2).map(([operation]) => operation)).toEqual(["lease", "consume"]);
  });

  test("one that never comes back is asked for again after a quarter of a lease", async () => {
    const { slow } = isolate();
    const consume = () => void slow.decide("consume", HOT, 1);
    for (let request = 0; request < 8; request++) consume();
    expect(under).toHaveLength(8);
    clock += 24;
    consume();
    clock += 1;
    consume();
    for (const arrive of under) void arrive();
    expect(asked.map(([operation]) => operation)).toEqual([
      ...Array<string>(7).fill("consume"),
      "lease",
      "consume",
      "lease",
    ]);
  });
});

describe("when the store fails", () => {
  test("leased units are spent, and then the failure is reported", async () => {
    const { ask, demand } = isolate();
    oneWay = 2;
    await demand(200);
    broken = true;
    asked = [];
    let served = 0;
    const failure = await (async () => {
      for (;;) {
        await ask();
        served++;
      }
    })().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "ERR_STORE_UNREACHABLE" });
    expect(served).toBeGreaterThan(0);
    expect(asked[0]![0]).toBe("lease");
  });

  test("no request is denied by an earlier answer", async () => {
    const { ask, demand } = isolate(tokenBucket({ limit: 100, refill: 100, per: "1s" }));
    await demand(300);
    broken = true;
    clock += 25;
    await expect(ask()).rejects.toMatchObject({ code: "ERR_STORE_UNREACHABLE" });
    await expect(ask()).rejects.toMatchObject({ code: "ERR_STORE_UNREACHABLE" });
  });
});

describe("a reset", () => {
  test("drops the leased units", async () => {
    const { ask, demand, store, left } = isolate();
    await demand(200);
    await store.reset(HOT);
    asked = [];
    expect(isAllowed(await ask())).toBe(true);
    expect(asked).toEqual([["consume", 1]]);
    expect(left()).toBe(999);
  });

  test("drops the units asked for before it", async () => {
    const { slow } = isolate();
    const consume = () => slow.decide("consume", HOT, 1);
    const answers = Array.from({ length: 8 }, consume);
    const resetting = slow.reset(HOT);
    for (const arrive of under.splice(0)) await arrive();
    await Promise.all([...answers, resetting]);
    expect(asked.at(-1)![0]).toBe("lease");
    void consume();
    expect(under).toHaveLength(1);
  });
});

test("identities do not spend each other's units, and only a bounded number is known", async () => {
  const { ask, demand } = isolate();
  await demand(200);
  while ((await held(ask)) < 10) await demand(1);
  asked = [];
  for (let other = 0; other < 999; other++) await ask(1, String(other));
  expect(asked).toHaveLength(999);
  await ask();
  expect(asked).toHaveLength(999);
  for (let other = 0; other < 1_000; other++) await ask(1, String(other));
  await ask();
  expect(asked).toHaveLength(2_000);
});
