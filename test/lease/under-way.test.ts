import { beforeEach, describe, expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import type { Reply, Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { memoryStore, slidingWindowLog } from "../support/limiter/plain.ts";
import { leasedStore } from "./leased-store.ts";

const HOT = "hot";
/** A lease of 100 ms; so the next one is asked for 25 ms after one that got too few. */
const LEASE = 100_000;

let clock: number;
let asked: [Operation, number][];
/** The pending calls, in the order of their sending: calls of the store, and resets. */
let under: (() => Promise<void>)[];

beforeEach(() => {
  clock = 4e12;
  asked = [];
  under = [];
});

/** An isolate on a log of this many units per ten seconds, and a store that answers when the test says. */
function isolate(limit: number) {
  const policies = compile([slidingWindowLog({ limit, window: "10s" })]);
  const model = memoryStore({ now: () => clock * 1000 });
  const later = <Value>(run: () => Value | Promise<Value>) =>
    new Promise<Value>((resolve, reject) => {
      under.push(async () => {
        await Promise.resolve(run()).then(resolve, reject);
      });
    });
  const inner: Store = {
    decide(operation, keys, costs) {
      asked.push([operation, costs[0]!]);
      return later(() => model.decide(operation, keys, costs, policies));
    },
    reset: (keys) => later(() => model.reset(keys)),
  };
  const store = leasedStore(inner, policies, { leaseUs: LEASE, now: () => clock });
  const consume = () => store.decide("consume", HOT, 1);
  return {
    store,
    consume,
    /** This many requests, a millisecond apart, each answered at once. */
    async demand(requests: number) {
      for (let request = 0; request < requests; request++) {
        clock++;
        const reply = consume();
        await under.shift()?.();
        await reply;
      }
    },
  };
}

const arrive = (which: number) => under.splice(which, 1)[0]!();
const rowOf = async (reply: Promise<Pick<Reply, "rows">>) => (await reply).rows[0]!;

/** A request that has asked for a lease of four, and one that asks for itself meanwhile. */
async function bothUnderWay(limit: number) {
  const own = isolate(limit);
  await own.demand(7);
  const leasing = own.consume();
  const single = own.consume();
  expect(asked.slice(7)).toEqual([
    ["lease", 4],
    ["consume", 1],
  ]);
  return { ...own, leasing, single };
}

describe("a request that asks for itself while a lease is under way", () => {
  test("and is denied, because the lease took the last units, is served from those", async () => {
    const { leasing, single, consume } = await bothUnderWay(11);
    await arrive(0);
    expect(await rowOf(leasing)).toMatchObject({ allowed: true, remaining: 3, retryAfterUs: 0 });
    await arrive(0);
    expect(await rowOf(single)).toMatchObject({ allowed: true, remaining: 2, retryAfterUs: 0 });
    expect(await rowOf(consume())).toMatchObject({ allowed: true, remaining: 1, retryAfterUs: 0 });
    expect(asked).toHaveLength(9);
  });

  test("and takes the last unit tells no client to wait while units are leased", async () => {
    const { leasing, single } = await bothUnderWay(12);
    await arrive(0);
    await leasing;
    await arrive(0);
    expect(await rowOf(single)).toMatchObject({ allowed: true, remaining: 0, retryAfterUs: 0 });
  });

  test("and takes the last unit tells to wait for the lease, not for as long as the store says", async () => {
    const { single } = await bothUnderWay(8);
    await arrive(1);
    expect(await rowOf(single)).toMatchObject({ allowed: true, retryAfterUs: 25_000 });
  });

  test("and is denied is told to wait for the lease, too", async () => {
    const own = await bothUnderWay(8);
    const third = own.consume();
    await arrive(1);
    await own.single;
    clock += 10;
    await arrive(1);
    expect(await rowOf(third)).toMatchObject({ allowed: false, retryAfterUs: 15_000 });
  });

  test("that never comes, tells the store's own wait when no request waits for that lease any more", async () => {
    const { single } = await bothUnderWay(8);
    clock += 25;
    await arrive(1);
    // The first of the seven units was taken 31 ms ago.
    expect(await rowOf(single)).toMatchObject({ allowed: true, retryAfterUs: 9_969_000 });
  });
});

describe("while a reset is under way", () => {
  test("leased units are spent, and units leased meanwhile go with them", async () => {
    const { store, consume, demand } = isolate(1_000);
    await demand(8);
    const resetting = store.reset(HOT);
    const before = asked.length;
    await rowOf(consume());
    expect(asked).toHaveLength(before);
    // Three more are held; then the next lease is asked for, and comes before the reset does.
    for (let request = 0; request < 3; request++) {
      clock++;
      const reply = consume();
      if (under.length > 1) await arrive(1);
      await reply;
    }
    expect(asked.at(-1)![0]).toBe("lease");
    await arrive(0);
    await resetting;
    const length = asked.length;
    void consume();
    expect(asked.slice(length)).toEqual([["consume", 1]]);
  });

  test("that fails, the leased units stay", async () => {
    const { store, consume, demand } = isolate(1_000);
    await demand(8);
    const resetting = store.reset(HOT);
    under.splice(0);
    void resetting;
    const before = asked.length;
    await rowOf(consume());
    expect(asked).toHaveLength(before);
  });
});

test("where one way was slow, leases begin when it is forgotten: by an eighth with each call", async () => {
  const { consume, demand } = isolate(1_000);
  const slow = consume();
  clock += 200;
  await arrive(0);
  await slow;
  await demand(12);
  // It counts as a lease's 100 ms; 11 times an eighth less are 23.0 ms, the first that are no more than 25.
  expect(asked.map(([operation]) => operation)).toEqual([
    ...Array<string>(12).fill("consume"),
    "lease",
  ]);
});
