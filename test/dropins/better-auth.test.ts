import { type BetterAuthOptions, betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { tidegateStorage } from "../../src/better-auth.ts";
import { memoryStore, StoreError } from "../../src/index.ts";
import { fromIoredis } from "../../src/node.ts";
import { runs } from "../support/runs.ts";
import {
  ANY_NUMBER,
  expectPassing,
  expectRow,
  farClient,
  faultyClient,
  overlapping,
  shownOf,
} from "./beside.ts";
import {
  connect,
  countedRedis,
  noRedis,
  ownPrefix,
  quietly,
  redisByDate,
  standStill,
} from "./clocked-redis.ts";

const PAGE = "better-auth";

interface Rule {
  readonly window: number;
  readonly max: number;
}

type Place = ConstructorParameters<typeof Object>[0] & Parameters<typeof tidegateStorage>[0];

const ours = (place: Place = { redis: redisByDate() }) =>
  tidegateStorage({ prefix: ownPrefix(), timeout: "20s", ...place });

/** Counts as the documentation of the package says: the time is set with the first increment. */
function counterByDate() {
  const counts = new Map<string, { count: number; readonly endsMs: number }>();
  return (key: string, ttl: number) => {
    const found = counts.get(key);
    if (found && Date.now() < found.endsMs) return ++found.count;
    counts.set(key, { count: 1, endsMs: Date.now() + ttl * 1000 });
    return 1;
  };
}

function counterInRedis() {
  const redis = connect();
  const script =
    "local n = redis.call('INCR', KEYS[1]) if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end return n";
  return async (key: string, ttl: number) =>
    (await redis.eval(script, 1, key, ttl * 1000)) as number;
}

const secondary = (increment: (key: string, ttl: number) => unknown) =>
  ({
    secondaryStorage: {
      get: () => null,
      getAndDelete: () => null,
      set: () => null,
      delete: () => null,
      increment,
    },
    rateLimit: { storage: "secondary-storage" },
  }) as unknown as BetterAuthOptions;

/** Addresses that no other test has: better-auth's memory is one for a process. */
let clients = 0;
const ownClient = () => `198.51.${100 + (++clients >> 8)}.${clients & 255}`;

/** Sends requests under a rule: the status, and the wait that it says. */
function authOf({ rateLimit, ...place }: BetterAuthOptions, rule: Rule) {
  const auth = betterAuth({
    baseURL: "http://localhost:3000",
    secret: "a-secret-of-thirty-two-characters-or-more",
    database: memoryAdapter({}),
    logger: { disabled: true },
    telemetry: { enabled: false },
    advanced: { ipAddress: { ipAddressHeaders: ["x-client"] } },
    ...place,
    rateLimit: { ...rateLimit, enabled: true, customRules: { "/ok": rule } },
  });
  return async (client: string) => {
    const headers = { "x-client": client };
    const answer = await auth.handler(
      new Request("http://localhost:3000/api/auth/ok", { headers }),
    );
    return [answer.status, answer.headers.get("X-Retry-After")] as const;
  };
}

const own = (place?: Place): BetterAuthOptions => ({ rateLimit: { customStorage: ours(place) } });

describe("tidegateStorage() beside better-auth's secondary storage", () => {
  const rules = fc.record<Rule>({
    window: fc.constantFrom(0.001, 0.25, 1, 1.5, 10, 60, 400 * 86_400),
    max: fc.constantFrom(1, 2, 3, 5),
  });
  const steps = fc.array(
    fc.record({
      client: fc.constantFrom(0, 1),
      passMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.constantFrom(0, 0, 1, 10_000)),
    }),
    { minLength: 1, maxLength: 30 },
  );

  test.each([
    ["in Redis", () => ({ redis: redisByDate() })],
    ["without Redis", () => ({ redis: noRedis })],
    ["in memoryStore()", () => ({ store: memoryStore({ now: () => Date.now() * 1000 }) })],
  ])("any requests, any times, %s: each status is equal", async (_, placeOf) => {
    quietly();
    const clock = standStill();
    const place = placeOf();
    await fc.assert(
      fc.asyncProperty(rules, steps, async (rule, all) => {
        const both = [authOf(secondary(counterByDate()), rule), authOf(own(place), rule)];
        const names = [ownClient(), ownClient()];
        for (const { client, passMs } of all) {
          clock.pass(passMs);
          const [expected, actual] = await Promise.all(both.map((send) => send(names[client]!)));
          expect(actual![0]).toBe(expected![0]);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  test("many requests at once, Redis 2 to 12 ms away: as many pass", async () => {
    const rule = { window: 600, max: 5 };
    const passed = [];
    for (const place of [
      secondary(counterInRedis()),
      own({ redis: farClient(fromIoredis(connect())) }),
    ]) {
      const send = authOf(place, rule);
      const client = ownClient();
      const answers = await overlapping(runs(2_000), 100, () => send(client));
      passed.push(answers.filter(([status]) => status === 200).length);
    }
    expect(passed).toEqual([5, 5]);
  });

  test("says the seconds that are left: the secondary storage says the whole window", async () => {
    expectRow(PAGE, "`retryAfter`");
    const clock = standStill();
    const waits = [];
    for (const place of [secondary(counterByDate()), own()]) {
      const send = authOf(place, { window: 10, max: 1 });
      const client = ownClient();
      await send(client);
      clock.pass(6_500);
      waits.push(await send(client));
    }
    expect(waits).toEqual([
      [429, "10"],
      [429, "4"],
    ]);
  });

  test("a window ends: in better-auth's memory none does while requests come", async () => {
    expectRow(PAGE, "window");
    const clock = standStill();
    const denied = [];
    for (const place of [{ rateLimit: { storage: "memory" } } as BetterAuthOptions, own()]) {
      const send = authOf(place, { window: 10, max: 5 });
      const client = ownClient();
      let count = 0;
      for (let i = 0; i < 20; i++) {
        count += Number((await send(client))[0] === 429);
        clock.pass(9_000);
      }
      denied.push(count);
    }
    expect(denied[0]).toBeGreaterThan(0);
    expect(denied[1]).toBe(0);
  });
});

describe("arguments of any kind: as in better-auth's secondary storage", () => {
  test.each(ANY_NUMBER.map((value) => [shownOf(value), value]))("max: %s", async (_, value) => {
    standStill();
    const rule = { window: 10, max: value as number };
    const [their, own_] = [authOf(secondary(counterByDate()), rule), authOf(own(), rule)];
    const client = ownClient();
    for (let i = 0; i < 5; i++) {
      expect((await own_(client))[0]).toBe((await their(client))[0]);
    }
  });

  /** Without a window, the package's own denial is a TypeError. */
  const windows = ANY_NUMBER.filter((value) => value !== undefined && value !== null);

  test.each(windows.map((value) => [shownOf(value), value]))("window: %s", async (_, value) => {
    const clock = standStill();
    const rule = { window: value as number, max: 2 };
    const [their, own_] = [authOf(secondary(counterByDate()), rule), authOf(own(), rule)];
    const client = ownClient();
    for (const passMs of [0, 0, 0, 1, 500, 2_000, 500, 60_000, 0, 0]) {
      clock.pass(passMs);
      const [[expected], [actual]] = [await their(client), await own_(client)];
      expect(actual).toBe(expected);
    }
  });
});

test("a rule without a window has that of better-auth, and one without a max lets nothing pass", async () => {
  const clock = standStill();
  const storage = ours();
  for (const window of [undefined, null] as never[]) {
    const key = ownPrefix();
    const consume = () => storage.consume(key, { window, max: 1 });
    expect((await consume()).allowed).toBe(true);
    expect(await consume()).toEqual({ allowed: false, retryAfter: 10 });
    clock.pass(10_000);
    expect((await consume()).allowed).toBe(true);
    const without = await storage.consume(ownPrefix(), { window: 10, max: window });
    expect(without).toEqual({ allowed: false, retryAfter: 10 });
  }
});

describe("without Redis", () => {
  test("an outage goes on from what Redis said", async () => {
    quietly();
    const clock = standStill();
    const faulty = faultyClient(redisByDate());
    const storage = ours({ redis: faulty.redis });
    const rule = { window: 60, max: 5 };
    const passed = async (key: string, requests: number) => {
      let count = 0;
      for (let i = 0; i < requests; i++)
        count += Number((await storage.consume(key, rule)).allowed);
      return count;
    };
    expect(await passed("counted", 3)).toBe(3);
    expect(await passed("full", 9)).toBe(5);
    faulty.fault = "gone";
    clock.pass(59_999);
    expect(await passed("counted", 9)).toBe(2);
    expect(await passed("full", 9)).toBe(0);
    expect(await storage.consume("full", rule)).toEqual({ allowed: false, retryAfter: 1 });
    clock.pass(1);
    expect(await passed("full", 9)).toBe(5);
  });

  test("Redis that goes and comes back, replies that are lost: no more than twice the limit", async () => {
    quietly();
    await expectPassing(10, runs(60), (redis) => {
      const storage = ours({ redis });
      return async () => (await storage.consume("ada", { window: 60, max: 5 })).allowed;
    });
  });

  test('with onFailure: "error" a request rejects with a StoreError', async () => {
    quietly();
    const failing = tidegateStorage({ redis: noRedis, onFailure: "error" });
    await expect(failing.consume("ada", { window: 60, max: 5 })).rejects.toThrow(StoreError);
  });
});

describe("by itself", () => {
  const opened = () => {
    const { redis, sent } = countedRedis();
    return { storage: tidegateStorage({ redis, prefix: ownPrefix(), timeout: "10s" }), sent };
  };

  test("sends one command for a request, and none for a client that it knows to be denied", async () => {
    const { storage, sent } = opened();
    await storage.consume("bob", { window: 60, max: 2 });
    const before = sent();
    // The answer to the second says that there is no room for another.
    for (let i = 0; i < 5; i++) await storage.consume("ada", { window: 60, max: 2 });
    expect(sent() - before).toBe(2);
  });

  test("keeps the count when a rule gets another limit, and denies all with 0", async () => {
    const { storage } = opened();
    await storage.consume("ada", { window: 60, max: 1 });
    expect(await storage.consume("ada", { window: 60, max: 2 })).toEqual({
      allowed: true,
      retryAfter: null,
    });
    expect((await storage.consume("ada", { window: 60, max: 2 })).allowed).toBe(false);
    expect(await storage.consume("ada", { window: 60, max: 0 })).toEqual({
      allowed: false,
      retryAfter: 60,
    });
  });
});
