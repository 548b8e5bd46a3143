import { describe, expect, test } from "vitest";

import { createWaitingDenials } from "../../src/features/roles/waiting-denials.ts";
import {
  createLimiter,
  fixedWindow,
  type LimiterOptions,
  memoryStore,
  segmentedWindow,
  slidingWindowLog,
  type Store,
  StoreError,
} from "../../src/index.ts";

const START_US = Date.UTC(2030, 0, 1) * 1000;
const SECOND = 1_000_000;

const gate = slidingWindowLog({ name: "gate", limit: 1, window: "60s" });
const ban = fixedWindow({ name: "ban", limit: 5, window: "1h", counts: "denials" });

/** Limiters over one memory store with a clock of the test: it counts calls, and fails as it is told. */
function isolates(policies: LimiterOptions["policies"], options: Partial<LimiterOptions> = {}) {
  const state = {
    nowUs: START_US,
    calls: 0,
    /** The code of the failures, and whether the store has run the call all the same. */
    failure: undefined as { code: StoreError["code"]; ran: boolean } | undefined,
    during: (): void | Promise<void> => {},
  };
  const counts = memoryStore({ now: () => state.nowUs });
  const store: Store = {
    ...counts,
    async decide(...request) {
      state.calls++;
      const { failure } = state;
      const reply = failure && !failure.ran ? undefined : await counts.decide(...request);
      await state.during();
      if (failure) throw new StoreError(failure.code, "It failed.");
      return reply!;
    },
  };
  return { open: () => createLimiter({ store, policies, ...options }), state };
}

describe("a ban that local denials fill", () => {
  test.for([slidingWindowLog, segmentedWindow, fixedWindow])(
    "begins when it is full, and its wait is told: %o",
    async (algorithm) => {
      const long = algorithm({ name: "ban", limit: 5, window: "1h", counts: "denials" });
      const { open, state } = isolates([gate, long]);
      const limiter = open();
      await limiter.limit("ada");
      const waits: number[] = [];
      for (let second = 1; second <= 40; second++) {
        state.nowUs += SECOND;
        waits.push((await limiter.limit("ada")).retryAfterMs);
      }
      // Four seconds wait for the gate, the fifth denial for the ban; its end does not move while it holds.
      expect(waits.slice(0, 4)).toEqual([59_000, 58_000, 57_000, 56_000]);
      const ends = waits.slice(4).map((wait, i) => wait + i * 1000);
      expect(new Set(ends).size).toBe(1);
      expect(state.calls).toBe(2);
      // A denial is trusted for a minute; the ban goes on.
      const banned = await limiter.limit("ada");
      state.nowUs += banned.retryAfterMs * 1000;
      expect((await limiter.limit("ada")).allowed).toBe(true);
    },
  );

  test("costs one call, though many requests come at once", async () => {
    const { open, state } = isolates([gate, ban]);
    const limiter = open();
    await limiter.limit("ada");
    await Promise.all(Array.from({ length: 200 }, () => limiter.limit("ada")));
    expect(state.calls).toBe(2);
    state.nowUs += 3_600 * SECOND;
    expect((await limiter.limit("ada")).allowed).toBe(true);
  });

  test("is not made longer by denials during the ban, of any policy", async () => {
    const dimensions = [
      { ...gate, by: "ip" },
      { ...ban, by: "key" },
    ];
    const { open, state } = isolates(dimensions);
    const limiter = open();
    const request = () => limiter.limit({ ip: "a", key: "k" });
    for (let each = 0; each < 100; each++) await request();
    expect(state.calls).toBe(2);
    state.nowUs += 3_599 * SECOND;
    expect((await limiter.limit({ ip: "a", key: "other" })).allowed).toBe(true);
    for (let each = 0; each < 3; each++) await request();
    expect(state.calls).toBe(3);
    state.nowUs += 60 * SECOND;
    const { policies } = await request();
    expect(policies.map(({ name, remaining }) => [name, remaining])).toEqual([
      ["gate", 0],
      ["ban", 5],
    ]);
  });

  test("is filled by denials that a peek has left alone", async () => {
    const { open, state } = isolates([gate, ban]);
    const limiter = open();
    await limiter.limit("ada");
    for (let denial = 0; denial < 3; denial++) await limiter.limit("ada");
    await limiter.peek("ada");
    expect(state.calls).toBe(2);
    state.nowUs += 60 * SECOND;
    expect((await limiter.limit("ada")).policies[1]!.remaining).toBe(2);
  });

  test("is not filled by denials as old as its window", async () => {
    const short = slidingWindowLog({ name: "ban", limit: 5, window: "70s", counts: "denials" });
    const { open, state } = isolates([gate, short]);
    const limiter = open();
    await limiter.limit("ada");
    for (let denial = 0; denial < 4; denial++) await limiter.limit("ada");
    state.nowUs += 70 * SECOND - 1000;
    expect((await limiter.limit("ada")).policies[1]!.remaining).toBe(1);
    state.nowUs += 70 * SECOND;
    await limiter.limit("ada");
    for (let denial = 0; denial < 4; denial++) await limiter.limit("ada");
    state.nowUs += 70 * SECOND;
    expect((await limiter.limit("ada")).policies[1]!.remaining).toBe(5);
  });
});

describe("denials that wait to be counted", () => {
  /** A limiter with three denials that wait, and how many the store has room for when the next call succeeds. */
  async function afterThree(
    options: Partial<LimiterOptions> = {},
    policies: LimiterOptions["policies"] = [gate, ban],
  ) {
    const { open, state } = isolates(policies, options);
    const limiter = open();
    await limiter.limit("ada");
    for (let denial = 0; denial < 3; denial++) {
      expect((await limiter.limit("ada")).reason).toBe("cached-denial");
    }
    state.nowUs += 60 * SECOND;
    const left = async () => {
      state.failure = undefined;
      state.nowUs += 60 * SECOND;
      const { policies } = await limiter.limit("ada");
      return policies.find(({ name }) => name === "ban")!.remaining;
    };
    return { limiter, state, left };
  }

  test("are counted once", async () => {
    const { left } = await afterThree();
    expect([await left(), await left()]).toEqual([2, 2]);
  });

  test("survive a call that was not sent", async () => {
    const { limiter, state, left } = await afterThree();
    state.failure = { code: "ERR_STORE_SUSPENDED", ran: false };
    await limiter.limit("ada");
    await limiter.limit("ada");
    expect([await left(), await left()]).toEqual([2, 2]);
  });

  test.for([true, false])(
    "are not counted twice after a call with an unknown result, if it ran: %o",
    async (ran) => {
      const { limiter, state, left } = await afterThree();
      state.failure = { code: "ERR_STORE_TIMEOUT", ran };
      await limiter.limit("ada");
      expect(await left()).toBe(ran ? 2 : 5);
    },
  );

  test("are counted once by this isolate's memory in an outage", async () => {
    const { limiter, state } = await afterThree({ onFailure: "local" });
    state.failure = { code: "ERR_STORE_SUSPENDED", ran: false };
    const seen: number[] = [];
    for (let request = 0; request < 3; request++) {
      state.nowUs += 60 * SECOND;
      seen.push((await limiter.limit("ada")).policies[1]!.remaining);
    }
    expect(seen).toEqual([2, 2, 2]);
  });

  test("stay forgotten if a reset comes while the call is on its way", async () => {
    const { limiter, state, left } = await afterThree();
    state.failure = { code: "ERR_STORE_SUSPENDED", ran: false };
    // The reset has ended before the call fails.
    state.during = () => {
      state.during = () => {};
      return limiter.reset("ada");
    };
    await limiter.limit("ada");
    expect(await left()).toBe(5);
  });

  test("of every dimension are forgotten by a reset", async () => {
    const { open, state } = isolates([
      { ...gate, by: "ip" },
      { ...ban, name: "bans", by: "ip" },
      { ...ban, by: "key" },
    ]);
    const limiter = open();
    const ada = { ip: "192.0.2.1", key: "k" };
    await limiter.limit(ada);
    for (let denial = 0; denial < 3; denial++) await limiter.limit(ada);
    await limiter.reset(ada);
    state.nowUs += SECOND;
    const { policies } = await limiter.limit(ada);
    expect(policies.map(({ name, remaining }) => [name, remaining])).toEqual([
      ["gate", 0],
      ["bans", 5],
      ["ban", 5],
    ]);
  });

  test("survive beside a lease, too", async () => {
    const leased = fixedWindow({ name: "gate", limit: 1, window: "60s", by: "ip", lease: "50ms" });
    const { open, state } = isolates([leased, { ...ban, by: "key" }]);
    const limiter = open();
    const request = () => limiter.limit({ ip: "a", key: "k" });
    for (let each = 0; each < 4; each++) await request();
    state.nowUs += 60 * SECOND;
    state.failure = { code: "ERR_STORE_SUSPENDED", ran: false };
    await request();
    state.failure = undefined;
    state.nowUs += 60 * SECOND;
    const { policies } = await request();
    expect(policies.find(({ name }) => name === "ban")!.remaining).toBe(2);
  });
});

describe("denials that wait", () => {
  const WINDOW_MS = 1_000;

  test("are those of ten thousand keys at most: the one that was denied longest ago is forgotten", () => {
    const waiting = createWaitingDenials();
    waiting.add("hot", 0);
    waiting.add("cold", 0);
    for (let flood = 0; flood < 9_999; flood++) {
      waiting.add("hot", 0);
      waiting.add(`flood-${flood}`, 0);
    }
    expect(waiting.take("cold", 0, WINDOW_MS).count).toBe(0);
    expect(waiting.take("hot", 0, WINDOW_MS).count).toBe(10_000);
  });

  test("count for a window after the last of them, and not a moment longer", () => {
    for (const [ms, count] of [
      [1_400, 2],
      [1_401, 0],
    ] as const) {
      const waiting = createWaitingDenials();
      waiting.add("key", 0);
      waiting.add("key", 401);
      expect(waiting.take("key", ms, WINDOW_MS).count).toBe(count);
      // They leave with the call that takes them, even if it fails.
      expect(waiting.take("key", ms, WINDOW_MS).count).toBe(0);
    }
  });

  test("are counted here once, however often the store is not asked", () => {
    const waiting = createWaitingDenials();
    waiting.add("key", 0);
    const first = waiting.take("key", 0, WINDOW_MS);
    expect([first.count, first.uncountedHere]).toEqual([1, 1]);
    first.putBack();
    waiting.add("key", 0);
    const second = waiting.take("key", 0, WINDOW_MS);
    expect([second.count, second.uncountedHere]).toEqual([2, 1]);
    second.putBack();
    expect(waiting.take("key", 0, WINDOW_MS).uncountedHere).toBe(0);
  });
});
