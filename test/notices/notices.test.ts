import { beforeEach, describe, expect, test, vi } from "vitest";

import type { FaultCode } from "../../src/options/errors.ts";
import { everyPolicy } from "../support/every-policy.ts";
import {
  concurrency,
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
  type Limiter,
  type ReservingLimiter,
  memoryStore,
  type Policy,
  StoreError,
} from "../support/limiter/plain.ts";
import { openScene, type Scene } from "./told.ts";

let scene: Scene;
beforeEach(() => {
  scene = openScene(() => new StoreError("ERR_STORE_TIMEOUT", "planned"));
});

const BEGIN_MS = 20_000 * 86_400e3;
const HOUR_MS = 3_600_000;
const window = "1h";
const limit = 10;
const notify = 0.8;
const monthly = fixedWindow({ name: "api", limit, window, notify });

const hundred = { ...monthly, limit: 100 };

const twoIsolates = (policy: Policy) =>
  [1, 2].map(() => scene.isolate({ policies: [policy] })) as [ReservingLimiter, ReservingLimiter];

async function ask(limiter: Limiter, times: number, cost = 1): Promise<void> {
  for (let i = 0; i < times; i++) await limiter.limit("user:42", { cost });
  await scene.idle();
}

describe.each([
  ...everyPolicy(limit, window),
  fixedWindow({ limit, window, aligned: false }),
  fixedWindow({ limit, window: "hour", timeZone: "Asia/Kathmandu" }),
])("$algorithm (aligned: $aligned)", (policy) => {
  test("tells once per window, for any number of isolates, that a share is reached and that requests are denied", async () => {
    const [one, other] = twoIsolates({ ...policy, notify });
    await ask(one, 4);
    await ask(other, 3);
    expect(scene.kinds()).toEqual([]);
    expect(scene.marks()).toBe(0);
    await ask(one, 1);
    expect(scene.kinds()).toEqual([0.8]);
    expect(scene.told[0]).toMatchObject({ limit, consumed: 8, remaining: 2, partition: "user:42" });
    await ask(other, 2);
    await ask(one, 3);
    await ask(other, 3);
    expect(scene.kinds()).toEqual([0.8, "denied"]);
    // Two calls for each notice, and one of the isolate that did not tell it.
    expect(scene.marks()).toBe(6);
    scene.moveMs(2 * HOUR_MS);
    await ask(other, 10);
    expect(scene.kinds()).toEqual([0.8, "denied", 0.8]);
    expect(new Set(scene.told.map(({ id }) => id)).size).toBe(3);
  });
});

test("no request waits for its notices, and a request that reaches no share costs nothing", async () => {
  const limiter = scene.isolate({ policies: [monthly] });
  let heard!: (value?: unknown) => void;
  scene.listen = () => new Promise((resolve) => (heard = resolve));
  for (let i = 0; i < 8; i++) await limiter.limit("user:42");
  expect(scene.told).toEqual([]);
  await scene.idle();
  expect(scene.told).toHaveLength(1);
  for (let i = 0; i < 4; i++) await limiter.limit("user:42");
  await limiter.limit("user:7");
  await scene.idle();
  // Of the denial; the other one is not told yet.
  expect(scene.marks()).toBe(2);
  expect(scene.calls()).toBe(11);
  heard();
});

test("of several shares a request tells the highest that it shows", async () => {
  const limiter = scene.isolate({ policies: [{ ...monthly, notify: [0.25, 1, 0.5, 0.75] }] });
  await ask(limiter, 1, 2);
  await ask(limiter, 1, 2);
  await ask(limiter, 1, 4);
  await ask(limiter, 2);
  await ask(limiter, 1);
  expect(scene.kinds()).toEqual([0.25, 0.75, 1, "denied"]);
});

test.each([
  [3, 0.1, 1],
  [10, 0.7, 7],
  // As a product of doubles it is more than 7.
  [100, 0.07, 7],
  [1_000_000_000, 0.29, 290_000_000],
  [7, 0.5, 4],
  [1, 0.01, 1],
])("of a limit of %d the share %d is reached with %d units", async (limit, share, units) => {
  const limiter = scene.isolate({ policies: [{ ...monthly, limit, notify: share }] });
  await ask(limiter, 1, units - 1);
  expect(scene.kinds()).toEqual([]);
  await ask(limiter, 1);
  expect(scene.kinds()).toEqual([share]);
});

describe("a notice that was not told", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("planned");
      },
    ],
    ["rejects", () => Promise.reject(new Error("planned"))],
  ])("is told again a minute later, by any isolate, where the listener %s", async (_name, fail) => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const [one, other] = twoIsolates(hundred);
    scene.listen = fail;
    await ask(one, 1, 80);
    await ask(other, 1);
    expect(scene.kinds()).toEqual([0.8]);
    scene.listen = () => {};
    scene.moveMs(59_000);
    await ask(one, 1);
    await ask(other, 1);
    expect(scene.kinds()).toEqual([0.8]);
    scene.moveMs(1_000);
    await ask(other, 1);
    await ask(one, 1);
    expect(scene.kinds()).toEqual([0.8, 0.8]);
    expect(scene.told[1]!.id).toBe(scene.told[0]!.id);
    scene.moveMs(10 * 60_000);
    await ask(one, 1);
    await ask(other, 1);
    expect(scene.kinds()).toEqual([0.8, 0.8]);
  });

  test("because Redis lost the call is told with a later request", async () => {
    const limiter = scene.isolate({ policies: [monthly] });
    scene.failing.push("before");
    await ask(limiter, 8);
    await ask(limiter, 1);
    expect(scene.kinds()).toEqual([]);
    scene.moveMs(1_000);
    await ask(limiter, 1);
    expect(scene.kinds()).toEqual([0.8]);
  });

  test("because Redis lost the answer is told a minute later", async () => {
    const limiter = scene.isolate({ policies: [hundred] });
    scene.failing.push("after");
    await ask(limiter, 1, 80);
    scene.moveMs(1_000);
    await ask(limiter, 1);
    expect(scene.kinds()).toEqual([]);
    scene.moveMs(59_000);
    await ask(limiter, 1);
    expect(scene.kinds()).toEqual([0.8]);
  });

  test("because its isolate has ended is told by another one", async () => {
    const [one, other] = twoIsolates(hundred);
    scene.listen = () => new Promise(() => {});
    await ask(one, 1, 80);
    scene.listen = () => {};
    await ask(other, 1);
    expect(scene.kinds()).toEqual([0.8]);
    scene.moveMs(60_000);
    await ask(other, 1);
    expect(scene.kinds()).toEqual([0.8, 0.8]);
  });

  test("though it was, because Redis did not confirm it, is repeated under the same name", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const limiter = scene.isolate({ policies: [hundred] });
    scene.listen = () => void scene.failing.push("before");
    await ask(limiter, 1, 80);
    scene.listen = () => {};
    scene.moveMs(60_000);
    await ask(limiter, 1);
    expect(scene.kinds()).toEqual([0.8, 0.8]);
    expect(scene.told[1]!.id).toBe(scene.told[0]!.id);
  });

  test("is told by a later denial, of which the first needed no call of Redis", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    const limiter = scene.isolate({ policies: [monthly] });
    scene.listen = ({ kind }) => kind === "denied" && Promise.reject(new Error("planned"));
    await ask(limiter, 11);
    // After the tenth request no isolate has to ask.
    expect(scene.calls()).toBe(10);
    scene.listen = () => {};
    scene.moveMs(60_000);
    await ask(limiter, 1);
    expect(scene.kinds()).toEqual([0.8, "denied", "denied"]);
  });
});

describe("a notice that is told across the end of its window", () => {
  test.each([
    ["of the clock", monthly, 1],
    [
      "that begins with a request",
      fixedWindow({ name: "api", limit, window, notify, aligned: false }),
      HOUR_MS - 100,
    ],
    [
      "of a calendar",
      fixedWindow({ name: "api", limit, window: "hour", notify, timeZone: "Asia/Kathmandu" }),
      1,
    ],
  ])("leaves the next window, %s, its own", async (_name, policy, sinceBeginMs) => {
    const [one, other] = twoIsolates(policy);
    let heard!: (value?: unknown) => void;
    if (sinceBeginMs === 1) scene.moveMs((policy.window === "hour" ? 0.25 : 1) * HOUR_MS - 100);
    await ask(one, 7);
    if (sinceBeginMs > 1) scene.moveMs(sinceBeginMs);
    scene.listen = () => new Promise((resolve) => (heard = resolve));
    await ask(one, 1);
    scene.moveMs(200);
    heard();
    await scene.idle();
    scene.listen = () => {};
    expect(scene.kinds()).toEqual([0.8]);
    for (const each of [other, one]) await ask(each, 8);
    expect(scene.kinds()).toEqual([0.8, 0.8, "denied"]);
    expect(scene.told[1]!.id).not.toBe(scene.told[0]!.id);
  });

  test("does not undo a reset that came between", async () => {
    const [one, other] = twoIsolates(monthly);
    let heard!: (value?: unknown) => void;
    scene.listen = () => new Promise((resolve) => (heard = resolve));
    await ask(one, 8);
    await other.reset("user:42");
    heard();
    await scene.idle();
    await ask(other, 8);
    expect(scene.kinds()).toEqual([0.8, 0.8]);
  });
});

test("a reset sends as many keys as the policies have shares, whatever the number of plans, and of those it has not seen", async () => {
  const plan = (i: number) => [`p${i}`, { api: { limit: 20 + i } }] as const;
  const plans = Object.fromEntries(Array.from({ length: 1_254 }, (_, i) => plan(i)));
  const policies = [{ ...monthly, notify: [0.5, 0.8, 1] }];
  const seen = scene.isolate({ policies, plans });
  await seen.limit("user:42", { cost: 11, plan: "p2" });
  await scene.idle();
  expect(scene.kinds()).toEqual([0.5]);
  const other = scene.isolate({ policies, plans });
  await other.reset("user:42");
  // The count, and four notices.
  expect(scene.resetKeys()).toBe(1 + 4);
  await other.limit("user:42", { cost: 11, plan: "p2" });
  await scene.idle();
  expect(scene.kinds()).toEqual([0.5, 0.5]);
});

test("after a share of a greater limit, that of a smaller one is no news", async () => {
  const limiter = scene.isolate({ policies: [monthly], plans: { gold: { api: { limit: 20 } } } });
  await limiter.limit("user:42", { cost: 16, plan: "gold" });
  await ask(limiter, 1);
  expect(scene.kinds()).toEqual([0.8, "denied"]);
});

test("a window of seconds is told in each", async () => {
  const policies = [fixedWindow({ name: "api", limit, window: "10s", notify })];
  const limiter = scene.isolate({ policies });
  for (const beginMs of [9_000, 1_000, 10_000]) {
    scene.moveMs(beginMs);
    await ask(limiter, 8);
  }
  expect(scene.kinds()).toEqual([0.8, 0.8, 0.8]);
});

test("under a plan with another limit, and after a reset, it is told again", async () => {
  const policies = [monthly];
  const limiter = scene.isolate({ policies, plans: { gold: { api: { limit: 20 } } } });
  await ask(limiter, 8);
  await limiter.limit("user:42", { plan: "gold" });
  await scene.idle();
  expect(scene.kinds()).toEqual([0.8]);
  for (let i = 0; i < 7; i++) await limiter.limit("user:42", { plan: "gold" });
  await scene.idle();
  expect(scene.kinds()).toEqual([0.8, 0.8]);
  expect(scene.told[1]).toMatchObject({ limit: 20, consumed: 16 });
  await limiter.reset("user:42");
  await ask(limiter, 8);
  expect(scene.kinds()).toEqual([0.8, 0.8, 0.8]);
  for (let i = 0; i < 8; i++) await limiter.limit("user:42", { plan: "gold" });
  await scene.idle();
  expect(scene.kinds()).toEqual([0.8, 0.8, 0.8, 0.8]);
  // Another limit has a name of its own; Redis knows of no reset by which there could be another one.
  const [first, under, ...afterReset] = scene.told.map(({ id }) => id);
  expect(afterReset).toEqual([first, under]);
  expect(first).not.toBe(under);
});

test("a reset of a dimension without notices is one call", async () => {
  const store = memoryStore();
  const reset = vi.spyOn(store, "reset");
  const limiter = createLimiter({
    store,
    policies: [
      { ...monthly, by: "user" },
      fixedWindow({ name: "address", limit, window, by: "ip" }),
    ],
    onNotice: () => {},
  });
  await limiter.reset({ ip: "203.0.113.7" });
  expect(reset).toHaveBeenCalledTimes(1);
  await limiter.reset({ user: "42" });
  expect(reset).toHaveBeenCalledTimes(3);
});

test("of a policy with shards of two sizes one isolate asks once about each notice, and tells it again after a reset", async () => {
  const limiter = scene.isolate({ policies: [{ ...monthly, limit: 11, notify: 0.1, shards: 2 }] });
  await ask(limiter, 20);
  expect([scene.kinds(), scene.marks()]).toEqual([[0.1, "denied"], 4]);
  await limiter.reset("user:42");
  scene.moveMs(1);
  await ask(limiter, 20);
  expect([scene.kinds(), scene.marks()]).toEqual([[0.1, "denied", 0.1, "denied"], 8]);
});

test("an isolate asks no more about a notice that was told, and once a minute about one that another isolate is telling", async () => {
  const [one, other] = twoIsolates(hundred);
  let heard!: (value?: unknown) => void;
  scene.listen = () => new Promise((resolve) => (heard = resolve));
  await ask(one, 1, 80);
  await ask(other, 2);
  expect(scene.marks()).toBe(2);
  heard();
  await scene.idle();
  expect(scene.marks()).toBe(3);
  scene.moveMs(60_000);
  await ask(one, 2);
  expect(scene.marks()).toBe(3);
  await ask(other, 2);
  expect(scene.marks()).toBe(4);
  scene.moveMs(60_000);
  await ask(one, 2);
  await ask(other, 2);
  expect(scene.marks()).toBe(4);
});

test("a look sends no notice, a charge or reservation does", async () => {
  const silent = scene.isolate({ policies: [fixedWindow({ name: "api", limit, window })] });
  await silent.charge("user:42", 9);
  const limiter = scene.isolate({ policies: [monthly, { ...monthly, name: "second" }] });
  await limiter.peek("user:42");
  await scene.idle();
  expect(scene.kinds()).toEqual([]);
  // More than there is, and yet no denial.
  await limiter.charge("user:42", { api: 9 });
  await scene.idle();
  expect(scene.kinds()).toEqual([0.8]);
  await limiter.peek("user:42");
  await limiter.limit("user:42", { cost: 11 });
  await scene.idle();
  expect(scene.kinds()).toEqual([0.8]);
  const other = scene.isolate({ policies: [{ ...monthly, refundable: true, name: "held" }] });
  const hold = await other.reserve("user:42", { cost: 8 });
  await scene.idle();
  await hold.settle(1);
  await other.limit("user:42");
  await scene.idle();
  expect(scene.kinds()).toEqual([0.8, 0.8]);
});

test("has the numbers of the decision's policy, and names its mark and window", async () => {
  const limiter = scene.isolate({ policies: [monthly] });
  scene.moveMs(1_500);
  await ask(limiter, 11);
  // The denial needed none.
  expect(scene.calls()).toBe(10);
  const common = {
    name: "api",
    limit,
    window: 3_600,
    partition: "user:42",
    resetAfterMs: HOUR_MS - 1_500,
    resetAtMs: BEGIN_MS + HOUR_MS,
  };
  const endsUs = (BEGIN_MS + HOUR_MS) * 1000;
  expect(scene.told).toEqual([
    {
      ...common,
      kind: "reached",
      share: 0.8,
      consumed: 8,
      remaining: 2,
      allowed: true,
      retryAfterMs: 0,
      id: `tg:{user:42}:api:f3:1h!0.8:n/10@${endsUs}`,
    },
    {
      ...common,
      kind: "denied",
      share: undefined,
      consumed: 10,
      remaining: 0,
      allowed: false,
      retryAfterMs: HOUR_MS - 1_500,
      id: `tg:{user:42}:api:f3:1h!denied:n/10@${endsUs}`,
    },
  ]);
});

test("a policy that denies no client sends notices of shares, and none of denials", async () => {
  const policies = [monthly, { ...monthly, limit: 2, name: "trial", mode: "shadow" as const }];
  const limiter = scene.isolate({ policies });
  await ask(limiter, 4);
  expect(scene.told).toMatchObject([{ kind: "reached", name: "trial", consumed: 2 }]);
});

test("slots of holds are told of, too", async () => {
  const limiter = scene.isolate({
    policies: [concurrency({ name: "jobs", limit: 2, ttl: "1h", notify: 1 })],
  });
  for (let i = 0; i < 3; i++) await limiter.reserve("user:42");
  await scene.idle();
  expect(scene.kinds()).toEqual([1, "denied"]);
});

describe("with", () => {
  test("with shards one of them sends the notice for all, about its own count; a denial is sent when no shard had room", async () => {
    const isolates = twoIsolates({ ...monthly, limit: 40, shards: 4 });
    let denials = 0;
    for (let i = 0; i < 60; i++) {
      const { allowed } = await isolates[i % 2]!.limit("user:42");
      denials += Number(!allowed);
      await scene.idle();
      if (denials === 0) expect(scene.kinds()).not.toContain("denied");
    }
    expect(scene.kinds()).toEqual([0.8, "denied"]);
    expect(scene.told[0]).toMatchObject({ limit: 40, consumed: 32, partition: "user:42" });
  });

  test("with leases it is sent early by the units that other isolates hold, and once", async () => {
    const isolates = twoIsolates({ ...monthly, limit: 1_000, lease: "1s" });
    let asked = 0;
    let toldAt = 0;
    while (asked < 1_000) {
      for (const each of isolates) await each.limit("user:42");
      asked += 2;
      scene.moveMs(5);
      await scene.idle();
      if (scene.told.length > 0) toldAt ||= asked;
    }
    expect(scene.kinds().filter((kind) => kind === 0.8)).toEqual([0.8]);
    // The most that an isolate takes in a second: its 200 requests, and as many in advance.
    expect(toldAt).toBeGreaterThan(400);
    expect(toldAt).toBeLessThanOrEqual(1_000);
  });

  test("optimistic policies it is told as soon as Redis has counted", async () => {
    const [one, other] = twoIsolates({
      ...monthly,
      optimistic: { unsettled: 4, above: 0.1 },
    });
    expect((await one.limit("user:42", { cost: 4 })).reason).toBe("optimistic");
    await scene.idle();
    expect((await other.limit("user:42", { cost: 3 })).reason).toBe("optimistic");
    await scene.idle();
    expect(scene.kinds()).toEqual([]);
    expect((await one.limit("user:42")).reason).toBe("optimistic");
    expect(scene.told).toEqual([]);
    await scene.idle();
    await scene.idle();
    expect(scene.told).toMatchObject([{ kind: "reached", consumed: 8 }]);
  });

  test("optimistic policies nothing is told of an admission that Redis has not counted", async () => {
    const limiter = scene.isolate({
      policies: [{ ...monthly, optimistic: { unsettled: 4, above: 0 } }],
    });
    await ask(limiter, 1, 4);
    let count!: (value?: unknown) => void;
    scene.gate = new Promise((resolve) => (count = resolve));
    expect(await limiter.limit("user:42", { cost: 4 })).toMatchObject({
      reason: "optimistic",
      policies: [{ remaining: 2 }],
    });
    await scene.idle();
    expect([scene.kinds(), scene.marks()]).toEqual([[], 0]);
    count();
    await scene.idle();
    await scene.idle();
    expect(scene.kinds()).toEqual([0.8]);
  });
});

test("no notice is sent of the units that an isolate counts by itself in an outage", async () => {
  const told: unknown[] = [];
  const limiter = createLimiter({
    redis: { url: "http://127.0.0.1:9", token: "t" },
    onStoreError: () => {},
    policies: [{ ...monthly, limit: 1 }],
    onNotice: (...notice) => void told.push(notice),
  });
  for (let i = 0; i < 4; i++) await limiter.limit("user:42");
  await scene.idle();
  expect((await limiter.limit("user:42")).allowed).toBe(false);
  expect(told).toEqual([]);
});

const notifying = (share: unknown) => ({ policies: [{ ...monthly, notify: share }] });
test.each<[path: string, code: FaultCode, options: object]>([
  ["policies[0].notify", "range", notifying(0)],
  ["policies[0].notify", "range", notifying(80)],
  ["policies[0].notify", "range", notifying("80%")],
  ["policies[0].notify", "shape", notifying([])],
  ["policies[0].notify[1]", "range", notifying([0.5, Number.NaN])],
  ["policies[0].notify[1]", "duplicate", notifying([0.5, 0.5])],
  ["policies[0].notify", "shape", { policies: [monthly], onNotice: "https://example.com" }],
])("%s is a fault: %s", (path, code, options) => {
  const given = { store: memoryStore(), onNotice: () => {}, ...options };
  expect(() => createLimiter(given as unknown as CreateLimiterOptions)).toThrow(
    expect.objectContaining({
      faults: [expect.objectContaining({ path, code })],
    }),
  );
});
