import { Redis } from "ioredis";
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
  vi,
} from "vitest";

import {
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
  memoryStore,
} from "../support/limiter/plain.ts";
import { redisWithClock } from "../support/redis-with-clock.ts";

let redis: Redis;
beforeAll(() => {
  redis = new Redis(inject("redisUrl"));
});
afterAll(() => redis.quit());
afterEach(() => vi.useRealTimers());

const us = (moment: string) => Date.parse(moment) * 1000;
const YEAR = new Date().getUTCFullYear() + 1;

/** On a real Redis whose scripts read the test's clock, and in memory. */
const STORES = ["redis", "memory"] as const;

/** The clock of the store, and of the isolate. */
function limiterAt(
  kind: (typeof STORES)[number],
  moment: string,
  options: Omit<CreateLimiterOptions, "redis" | "store">,
) {
  const clock = { nowUs: us(moment) };
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: clock.nowUs / 1000 });
  const make = (changes: Partial<CreateLimiterOptions> = {}) =>
    createLimiter({
      ...options,
      ...changes,
      prefix: options.prefix ?? "tg",
      ...(kind === "redis"
        ? { redis: redisWithClock(redis, () => clock.nowUs) as never, timeout: "20s" as const }
        : { store }),
    });
  const store = memoryStore({ now: () => clock.nowUs });
  const moveTo = (to: string) => {
    vi.advanceTimersByTime((us(to) - clock.nowUs) / 1000);
    clock.nowUs = us(to);
  };
  return { make, moveTo, clock };
}

describe.each(STORES)("windows of a calendar, counted in %s", (kind) => {
  const who = () => crypto.randomUUID();

  test("tell the true seconds to their end, hold the limit, and begin anew at the boundary", async () => {
    const { make, moveTo } = limiterAt(kind, `${YEAR}-01-31T22:59:30Z`, {
      policies: [
        fixedWindow({ name: "month", limit: 2, window: "month", timeZone: "Europe/Berlin" }),
      ],
    });
    const [limiter, identity] = [make(), who()];
    for (let i = 0; i < 2; i++) expect((await limiter.limit(identity)).allowed).toBe(true);
    const denied = await limiter.limit(identity);
    expect(denied.status).toBe(429);
    const { headers } = denied.response();
    expect(headers.get("retry-after")).toBe("30");
    expect(headers.get("ratelimit")).toBe('"month";r=0;t=30');
    expect(headers.get("ratelimit-policy")).toBe('"month";q=2;w=2678400');
    moveTo(`${YEAR}-01-31T23:00:00Z`);
    const { allowed, policies } = await limiter.limit(identity);
    expect(allowed).toBe(true);
    expect(policies[0]!.resetAfterMs).toBe(
      Date.parse(`${YEAR}-02-28T23:00:00Z`) - Date.parse(`${YEAR}-01-31T23:00:00Z`),
    );
  });

  test("keep their count under plans, charges and holds, and after a reset they have none", async () => {
    const { make, moveTo } = limiterAt(kind, `${YEAR}-03-10T12:00:00Z`, {
      policies: [
        fixedWindow({ name: "p", limit: 10, window: "month", anchor: 15, refundable: true }),
      ],
      plans: { gold: { p: { limit: 20 } }, platinum: { p: { limit: 20, anchor: 1 } } },
    });
    const [limiter, identity] = [make(), who()];
    await limiter.charge(identity, 4);
    const hold = await limiter.reserve(identity, { cost: 6 });
    expect(hold.allowed).toBe(true);
    expect((await limiter.peek(identity)).allowed).toBe(false);
    await hold.settle(1);
    expect((await limiter.peek(identity)).policies[0]!.remaining).toBe(5);
    // Another limit counts together, another month apart.
    const gold = await limiter.limit(identity, { plan: "gold", cost: 5 });
    expect(gold.policies[0]).toMatchObject({ remaining: 10 });
    const platinum = await limiter.limit(identity, { plan: "platinum", cost: 5 });
    expect(platinum.policies[0]).toMatchObject({ remaining: 15 });
    moveTo(`${YEAR}-03-20T00:00:00Z`);
    expect((await limiter.peek(identity, { plan: "gold" })).policies[0]!.remaining).toBe(20);
    expect((await limiter.peek(identity, { plan: "platinum" })).policies[0]!.remaining).toBe(15);
    await limiter.reset(identity);
    expect((await limiter.peek(identity)).policies[0]!.remaining).toBe(10);
    expect((await limiter.peek(identity, { plan: "platinum" })).policies[0]!.remaining).toBe(20);
  });

  test("leased units end with the window that they were taken from", async () => {
    const { make, moveTo } = limiterAt(kind, `${YEAR}-05-01T23:59:59.500Z`, {
      policies: [fixedWindow({ name: "p", limit: 400, window: "day" })],
      lease: "1s",
    });
    const [limiter, identity] = [make(), who()];
    const admittedOf = async (requests: number) => {
      let admitted = 0;
      for (let i = 0; i < requests; i++)
        admitted += Number((await limiter.limit(identity)).allowed);
      return admitted;
    };
    await admittedOf(100);
    moveTo(`${YEAR}-05-02T00:00:00Z`);
    expect(await admittedOf(600)).toBe(400);
  });

  test.each([
    ["shards", { policies: [fixedWindow({ name: "p", limit: 40, window: "day", shards: 4 })] }],
    ["leases", { policies: [fixedWindow({ name: "p", limit: 40, window: "day" })], lease: "1s" }],
    [
      "optimism",
      { policies: [fixedWindow({ name: "p", limit: 40, window: "day", optimistic: true })] },
    ],
    [
      "modes",
      {
        policies: [
          fixedWindow({ name: "p", limit: 40, window: "day" }),
          fixedWindow({ name: "s", limit: 3, window: "hour", mode: "shadow" }),
        ],
      },
    ],
    [
      "a length beside it",
      {
        policies: [
          fixedWindow({ name: "p", limit: 40, window: "day" }),
          fixedWindow({ name: "d", limit: 1000, window: "1h" }),
        ],
      },
    ],
  ] as [string, Omit<CreateLimiterOptions, "redis" | "store">][])(
    "hold exactly the limit in each window with %s",
    async (_what, options) => {
      const { make, moveTo } = limiterAt(kind, `${YEAR}-05-01T23:59:58Z`, options);
      const [limiter, identity] = [make(), who()];
      for (const moment of ["01T23:59:58", "02T00:00:00", "02T23:59:59"]) {
        moveTo(`${YEAR}-05-${moment}Z`);
        let admitted = 0;
        for (let i = 0; i < 70; i++) admitted += Number((await limiter.limit(identity)).allowed);
        // An optimistic isolate admits one unit too many at most.
        const most = options.policies[0]!.optimistic ? 41 : 40;
        const least = moment.startsWith("02T23") ? 0 : 40;
        expect(admitted).toBeGreaterThanOrEqual(least);
        expect(admitted).toBeLessThanOrEqual(least === 0 ? 0 : most);
      }
    },
  );
});

test("an outage is counted in windows of the same calendar", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2027-05-31T23:00:00Z") });
  const limiter = createLimiter({
    redis: { url: "http://127.0.0.1:9", token: "t" } as never,
    policies: [fixedWindow({ name: "p", limit: 2, window: "month" })],
    onStoreError: () => undefined,
  });
  const [first] = [await limiter.limit("u"), await limiter.limit("u")];
  expect(first.reason).toBe("store-unavailable");
  const denied = await limiter.limit("u");
  expect(denied.allowed).toBe(false);
  expect(denied.retryAfterMs).toBe(3_600_000);
  vi.setSystemTime(Date.parse("2027-06-01T00:00:00Z"));
  expect((await limiter.limit("u")).allowed).toBe(true);
});

test("boundaries are renewed beside requests: none waits for one, and no timer is left", async () => {
  const { get } = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format")!;
  let looks = 0;
  const counted = {
    configurable: true,
    get(this: Intl.DateTimeFormat) {
      looks++;
      return get!.call(this);
    },
  };
  Object.defineProperty(Intl.DateTimeFormat.prototype, "format", counted);
  onTestFinished(() => {
    Object.defineProperty(Intl.DateTimeFormat.prototype, "format", {
      configurable: true,
      get: get!,
    });
  });
  vi.useFakeTimers({ toFake: ["Date", "setTimeout"], now: Date.parse("2027-01-01T00:00:00Z") });
  const limiter = createLimiter({
    store: memoryStore(),
    policies: [fixedWindow({ name: "p", limit: 1, window: "day", timeZone: "Asia/Amman" })],
  });
  let inRequests = 0;
  let days = 0;
  for (; days < 1000; days++) {
    vi.setSystemTime(Date.now() + 86_400_000);
    const before = looks;
    expect((await limiter.limit("u")).allowed).toBe(true);
    inRequests += looks - before;
    vi.runOnlyPendingTimers();
  }
  expect({ inRequests, timers: vi.getTimerCount() }).toEqual({ inRequests: 0, timers: 0 });
  // In three years, the zone is looked at a few times.
  expect(looks).toBeGreaterThan(100);
  expect(looks).toBeLessThan(2000);
});
