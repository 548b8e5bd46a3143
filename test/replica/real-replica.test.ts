import { Redis } from "ioredis";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";

import { fromIoredis } from "../../src/node.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { answers, delay, type Fault, halfOpen, none } from "../support/fault-proxy.ts";
import {
  concurrency,
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
  type ReservingLimiter,
  type Policy,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { type Replicated, startReplicated } from "./replicated.ts";

let pair: Replicated;
beforeAll(async () => {
  pair = await startReplicated();
});
afterAll(() => pair.stop());
beforeEach(() => {
  pair.primary.proxy.fault = delay(20);
  pair.replica.proxy.fault = none;
});

const LIMIT = 5;
const policies: Policy[] = [
  ...everyPolicy(LIMIT, "1h"),
  fixedWindow({ limit: LIMIT, window: "month" }),
];
const bucket = tokenBucket({ name: "b", limit: LIMIT, refill: 1, per: "1h" });

/** An isolate beside the replica, and far from the primary. */
function isolate(options: Partial<CreateLimiterOptions> & { prefix: string }): ReservingLimiter {
  return createLimiter({
    redis: pair.primary.endpoint,
    replica: pair.replica.endpoint,
    replicaTimeout: "1s",
    timeout: "10s",
    policies: [bucket],
    ...options,
  });
}

/** Counts the calls that arrived at both since. */
function counter() {
  const before = [pair.primary, pair.replica].map((side) => side.commands().length);
  return () => ({
    primary: pair.primary.commands().slice(before[0]).length,
    replica: pair.replica.commands().slice(before[1]).length,
  });
}

/** Warnings that only the test sees. */
function silent() {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return warn;
}

/** From here to the end of the test, the replica knows nothing new. */
function hold(): void {
  pair.link.hold();
  onTestFinished(async () => {
    pair.link.pass();
    await pair.replicated();
  });
}

async function exhaust(limiter: ReservingLimiter, identities: readonly string[]): Promise<void> {
  for (const identity of identities) {
    expect((await limiter.limit(identity, { cost: LIMIT })).allowed).toBe(true);
  }
  await pair.replicated();
}

/** An isolate that knows the primary's clock, and whose replica the primary has confirmed. */
async function settled(prefix: string, options: Partial<CreateLimiterOptions> = {}) {
  const other = isolate({ ...options, prefix });
  await exhaust(other, ["confirmed"]);
  const limiter = isolate({ ...options, prefix });
  expect((await limiter.limit("known")).reason).toBe("allowed");
  expect((await limiter.limit("confirmed")).reason).toBe("limited");
  return { limiter, other };
}

describe.each(policies)("$algorithm of $window", (policy) => {
  const named = { ...policy, name: `p-${policy.algorithm}` } as Policy;

  test("an abuser whom another isolate has met costs no long trip", async () => {
    const prefix = crypto.randomUUID();
    const abusers = ["a", "b", "c"];
    const { limiter, other } = await settled(prefix, { policies: [named] });
    await exhaust(other, abusers);
    const since = counter();
    for (const abuser of abusers) {
      const decision = await limiter.limit(abuser);
      expect(decision).toMatchObject({ allowed: false, status: 429, reason: "replica-denial" });
      const { remaining, retryAfterMs } = decision.policies[0]!;
      const truth = (await other.peek(abuser)).policies[0]!;
      expect(remaining).toBe(0);
      expect(retryAfterMs).toBeGreaterThan(0);
      // Seen earlier, it is longer by the time that has passed since; it is never too long.
      expect(retryAfterMs).toBeGreaterThanOrEqual(truth.retryAfterMs - 60_000);
    }
    expect(since()).toEqual({ primary: abusers.length, replica: abusers.length });
    for (const abuser of abusers) {
      expect((await limiter.limit(abuser)).reason).toBe("cached-denial");
    }
    expect(since()).toEqual({ primary: abusers.length, replica: abusers.length });
  });
});

test("only the first request of a client waits for the replica, and only the primary counts it", async () => {
  const { limiter } = await settled(crypto.randomUUID());
  const since = counter();
  for (let i = 1; i <= LIMIT; i++) {
    expect(await limiter.limit("new")).toMatchObject({ allowed: true, reason: "allowed" });
    expect(since()).toEqual({ primary: i, replica: 1 });
  }
});

test("a request that takes nothing does not wait for the replica", async () => {
  const { limiter } = await settled(crypto.randomUUID());
  const since = counter();
  expect((await limiter.limit("new", { cost: 0 })).reason).toBe("allowed");
  expect(since()).toEqual({ primary: 1, replica: 0 });
});

test("a fresh isolate asks the primary, which says how its clock stands", async () => {
  const prefix = crypto.randomUUID();
  await exhaust(isolate({ prefix }), ["a"]);
  const since = counter();
  expect((await isolate({ prefix }).limit("a")).reason).toBe("limited");
  expect(since()).toEqual({ primary: 1, replica: 0 });
});

test("the primary confirms the first denial of an isolate", async () => {
  const prefix = crypto.randomUUID();
  await exhaust(isolate({ prefix }), ["a", "b"]);
  const limiter = isolate({ prefix });
  await limiter.limit("known");
  const since = counter();
  expect((await limiter.limit("a")).reason).toBe("limited");
  // The second command asks whether it is a cluster.
  expect(since()).toEqual({ primary: 2, replica: 1 });
  expect((await limiter.limit("b")).reason).toBe("replica-denial");
  expect(since()).toEqual({ primary: 2, replica: 2 });
});

test("it is only read, by commands that cannot write", async () => {
  const prefix = crypto.randomUUID();
  const { limiter, other } = await settled(prefix);
  await exhaust(other, ["a"]);
  const before = pair.replica.commands().length;
  await pair.replica.redis.script("FLUSH");
  expect((await limiter.limit("a")).reason).toBe("replica-denial");
  expect(pair.replica.commands().slice(before)).toEqual(["EVALSHA_RO", "EVAL_RO"]);
});

test("several policies and partitions are one read, without those that the isolate knows", async () => {
  const prefix = crypto.randomUUID();
  const several: Policy[] = [
    tokenBucket({ name: "ip", by: "ip", limit: LIMIT, refill: 1, per: "1h" }),
    slidingWindowLog({ name: "log", by: "ip", limit: 2 * LIMIT, window: "1h" }),
    fixedWindow({ name: "key", by: "key", limit: LIMIT, window: "1h" }),
  ];
  const far = isolate({ prefix, policies: several });
  await far.limit({ ip: "192.0.2.9", key: "confirmed" }, { cost: LIMIT });
  await far.limit({ ip: "192.0.2.1", key: "spent" }, { cost: { key: LIMIT } });
  await pair.replicated();
  const limiter = isolate({ prefix, policies: several });
  await limiter.limit({ ip: "192.0.2.2", key: "k" });
  await limiter.limit({ ip: "192.0.2.9", key: "k" });
  const since = counter();
  const decision = await limiter.limit({ ip: "192.0.2.2", key: "spent" });
  expect(decision.reason).toBe("replica-denial");
  expect(decision.policies.map(({ name, allowed }) => [name, allowed])).toEqual([["key", false]]);
  // The script for these policies has to be sent first.
  expect(since()).toEqual({ primary: 0, replica: 2 });
  const body = JSON.parse(pair.replica.proxy.received.at(-1)!.body) as string[];
  expect(body[2]).toBe(1);
  expect((await limiter.limit({ ip: "192.0.2.3", key: "k" })).reason).toBe("allowed");
  expect((JSON.parse(pair.replica.proxy.received.at(-1)!.body) as string[])[2]).toBe(2);
});

test.each<[string, Policy]>([
  ["refundable", { ...bucket, refundable: true }],
  ["a lease", fixedWindow({ name: "leased", limit: 1_000, window: "1h", lease: "100ms" })],
  ["counts failures", fixedWindow({ name: "f", limit: LIMIT, window: "1h", counts: "failures" })],
  ["shadow", { ...bucket, mode: "shadow" }],
  ["concurrency", concurrency({ name: "c", limit: LIMIT, ttl: "1m" })],
])("a policy with %s takes no part", async (_name, policy) => {
  const prefix = crypto.randomUUID();
  const limiter = isolate({ prefix, policies: [policy] });
  const since = counter();
  for (let i = 0; i < 4; i++) await limiter.reserve(`user:${i}`);
  expect(since().replica).toBe(0);
});

test("a policy with shards takes part, shard by shard", async () => {
  const prefix = crypto.randomUUID();
  const sharded = [fixedWindow({ name: "s", limit: 2 * LIMIT, window: "1h", shards: 2 })];
  const far = isolate({ prefix, policies: sharded });
  for (const identity of ["confirmed", "spent"]) await far.charge(identity, 2 * LIMIT);
  await pair.replicated();
  const limiter = isolate({ prefix, policies: sharded });
  await limiter.limit("known");
  expect((await limiter.limit("confirmed")).allowed).toBe(false);
  const since = counter();
  expect((await limiter.limit("spent")).reason).toBe("replica-denial");
  // It looks into a second shard, because the first one was full.
  expect(since()).toEqual({ primary: 0, replica: 2 });
});

test("a ban counts denials of the replica, and the replica knows the banned clients", async () => {
  const prefix = crypto.randomUUID();
  const banned: Policy[] = [
    bucket,
    fixedWindow({ name: "ban", limit: 2, window: "1h", counts: "denials" }),
  ];
  const { limiter, other } = await settled(prefix, { policies: banned });
  await exhaust(other, ["a"]);
  expect((await limiter.limit("a")).reason).toBe("replica-denial");
  // The second denial fills the ban, so Redis has to count both.
  expect((await limiter.limit("a")).reason).toBe("limited");
  const ban = (await other.peek("a")).policies.find(({ name }) => name === "ban")!;
  expect(ban).toMatchObject({ allowed: false, remaining: 0 });
});

test("a ban alone is a reason for the replica to deny", async () => {
  const banned: Policy[] = [
    bucket,
    fixedWindow({ name: "all", limit: 100, window: "1h" }),
    fixedWindow({ name: "ban", limit: 2, window: "1h", counts: "denials" }),
  ];
  const { limiter, other } = await settled(crypto.randomUUID(), { policies: banned });
  await exhaust(other, ["a"]);
  for (let i = 0; i < 2; i++) expect((await other.limit("a")).allowed).toBe(false);
  await pair.replicated();
  const decision = await limiter.limit("a", { cost: { b: 0 } });
  expect(decision.reason).toBe("replica-denial");
  expect(decision.policies.map(({ name, allowed }) => [name, allowed])).toEqual([
    ["b", true],
    ["all", true],
    ["ban", false],
  ]);
});

describe("a replica that is late", () => {
  test("admits no request: denials that it does not know yet come from the primary", async () => {
    const { limiter, other } = await settled(crypto.randomUUID());
    hold();
    expect((await other.limit("a", { cost: LIMIT })).allowed).toBe(true);
    const since = counter();
    expect((await limiter.limit("a")).reason).toBe("limited");
    expect(since()).toEqual({ primary: 1, replica: 1 });
  });

  test("denies none whom this isolate has reset", async () => {
    const { limiter, other } = await settled(crypto.randomUUID());
    await exhaust(other, ["a"]);
    hold();
    await limiter.reset("a");
    const since = counter();
    expect((await limiter.limit("a", { cost: LIMIT })).allowed).toBe(true);
    expect((await limiter.limit("a")).reason).toBe("limited");
    expect(since()).toEqual({ primary: 2, replica: 0 });
  });

  test("denies none whom this isolate has reset, under a plan", async () => {
    const plans = { gold: { b: { limit: 2 * LIMIT } } };
    const { limiter, other } = await settled(crypto.randomUUID(), { plans });
    const asGold = { plan: "gold", cost: 2 * LIMIT };
    await limiter.limit("another", asGold);
    await other.limit("a", asGold);
    await pair.replicated();
    hold();
    await limiter.reset("a");
    const since = counter();
    expect((await limiter.limit("a", asGold)).allowed).toBe(true);
    expect(since()).toEqual({ primary: 1, replica: 0 });
  });

  test("is not asked for a minute once the primary admits a request that it denies", async () => {
    const prefix = crypto.randomUUID();
    const other = isolate({ prefix });
    await exhaust(other, ["a", "b"]);
    hold();
    await other.reset("a");
    await other.reset("b");
    const limiter = isolate({ prefix });
    await limiter.limit("known");
    const since = counter();
    const warn = silent();
    expect((await limiter.limit("a")).reason).toBe("allowed");
    expect((await limiter.limit("b")).reason).toBe("allowed");
    expect(since()).toEqual({ primary: 2, replica: 1 });
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("that the replica denied"));
  });
});

test("after FLUSHALL, the primary decides and the replica follows", async () => {
  const { limiter, other } = await settled(crypto.randomUUID());
  await exhaust(other, ["a", "b"]);
  expect((await limiter.limit("a")).reason).toBe("replica-denial");
  await pair.primary.redis.flushall();
  await pair.replicated();
  const since = counter();
  expect((await limiter.limit("b")).reason).toBe("allowed");
  expect(since().replica).toBe(1);
});

describe("a replica that", () => {
  const faults: [string, Fault][] = [
    ["is down", ({ reset }) => reset()],
    ["is silent", halfOpen],
    [
      "is loading",
      answers(
        400,
        "application/json",
        '{"error":"LOADING Redis is loading the dataset in memory"}',
      ),
    ],
    ["refuses the token", answers(401, "application/json", '{"error":"Unauthorized"}')],
    ["is something else", answers(200, "text/html", "<html>")],
    ["answers with other numbers", answers(200, "application/json", '{"result":[1,2,3]}')],
    ["answers with text", answers(200, "application/json", '{"result":"OK"}')],
    ["answers with fractions", answers(200, "application/json", '{"result":[0,0,0.5,1]}')],
    ["answers with negative numbers", answers(200, "application/json", '{"result":[0,0,-5,1]}')],
  ];
  test.each(faults)("%s fails no decision, and costs five", async (_name, fault) => {
    const { limiter } = await settled(crypto.randomUUID(), { replicaTimeout: "300ms" });
    silent();
    pair.replica.proxy.fault = fault;
    const since = counter();
    for (let i = 0; i < 8; i++) {
      expect((await limiter.limit(`user:${i}`)).reason).toBe("allowed");
    }
    const { primary, replica } = since();
    expect(primary).toBe(8);
    // A probe a second comes in between on a slow machine.
    expect(replica).toBeGreaterThanOrEqual(5);
    expect(replica).toBeLessThanOrEqual(7);
  });

  test("answers every other request is asked each time", async () => {
    const { limiter } = await settled(crypto.randomUUID());
    silent();
    const since = counter();
    for (let i = 0; i < 12; i++) {
      pair.replica.proxy.fault = i % 2 === 0 ? none : ({ reset }) => reset();
      await limiter.limit(`user:${i}`);
    }
    expect(since()).toEqual({ primary: 12, replica: 12 });
  });

  test("denies for less time than the primary takes is not wrong", async () => {
    const prefix = crypto.randomUUID();
    const second = [tokenBucket({ name: "s", limit: 1, refill: 1, per: "1s" })];
    const other = isolate({ prefix, policies: second });
    const limiter = isolate({ prefix, policies: second });
    await limiter.limit("known");
    const warn = silent();
    await other.limit("a");
    await pair.replicated();
    pair.primary.proxy.fault = delay(1_500);
    expect((await limiter.limit("a")).reason).toBe("allowed");
    pair.primary.proxy.fault = delay(20);
    const since = counter();
    await limiter.limit("b");
    expect(since()).toEqual({ primary: 1, replica: 1 });
    expect(warn).not.toHaveBeenCalled();
  });

  test("has lost its primary, and is told not to serve its old state, denies none", async () => {
    const strict = await startReplicated(["--replica-serve-stale-data", "no"]);
    const make = () =>
      createLimiter({
        redis: strict.primary.endpoint,
        replica: strict.replica.endpoint,
        replicaTimeout: "1s",
        policies: [bucket],
      });
    silent();
    try {
      const other = make();
      for (const id of ["a", "b"]) await other.limit(id, { cost: LIMIT });
      await strict.replicated();
      const limiter = make();
      await limiter.limit("known");
      expect((await limiter.limit("a")).reason).toBe("limited");
      await strict.link.cut();
      await vi.waitFor(() => expect(strict.replica.redis.get("x")).rejects.toThrow("MASTERDOWN"));
      expect((await limiter.limit("b")).reason).toBe("limited");
      expect(strict.replica.commands().at(-1)).toMatch(/_RO$/);
    } finally {
      await Promise.all([strict.primary.redis.quit(), strict.replica.redis.quit()]);
      await strict.stop();
    }
  });

  test("is another Redis is found out, and denies none", async () => {
    const stranger = await startReplicated();
    silent();
    try {
      const prefix = crypto.randomUUID();
      const theirs = createLimiter({
        redis: stranger.primary.endpoint,
        policies: [bucket],
        prefix,
      });
      for (const id of ["a", "b", "c"]) await theirs.limit(id, { cost: LIMIT });
      const limiter = isolate({ prefix, replica: stranger.primary.endpoint });
      await limiter.limit("known");
      const before = stranger.primary.commands().length;
      for (const id of ["a", "b", "c"]) {
        expect((await limiter.limit(id)).reason).toBe("allowed");
      }
      // Redis has not loaded the script there.
      expect(stranger.primary.commands().slice(before)).toEqual(["EVALSHA_RO", "EVAL_RO"]);
    } finally {
      await stranger.stop();
    }
  });

  test("knows no commands for reading is read by the usual ones", async () => {
    const { limiter, other } = await settled(crypto.randomUUID());
    await exhaust(other, ["a", "b"]);
    pair.replica.proxy.fault = async (exchange) => {
      if (/_RO"/.test(exchange.body)) {
        const error = "ERR unknown command 'EVALSHA_RO', with args beginning with: ";
        return answers(400, "application/json", JSON.stringify({ error }))(exchange);
      }
      return none(exchange);
    };
    await pair.replica.redis.script("FLUSH");
    const before = pair.replica.commands().length;
    expect((await limiter.limit("a")).reason).toBe("replica-denial");
    expect((await limiter.limit("b")).reason).toBe("replica-denial");
    expect(pair.replica.commands().slice(before)).toEqual([
      "EVALSHA_RO",
      "EVALSHA",
      "EVAL",
      "EVALSHA",
    ]);
  });
});

test("a client of a replica is one as well", async () => {
  const redis = new Redis(pair.replica.server.url, {
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
  });
  try {
    const prefix = crypto.randomUUID();
    const { other } = await settled(prefix);
    await exhaust(other, ["a", "b"]);
    const limiter = isolate({ prefix, replica: fromIoredis(redis) });
    await limiter.limit("known");
    expect((await limiter.limit("a")).reason).toBe("limited");
    expect((await limiter.limit("b")).reason).toBe("replica-denial");
  } finally {
    redis.disconnect();
  }
});

test("a bucket of another rate is converted by the primary first", async () => {
  const prefix = crypto.randomUUID();
  const bucketOf = (refill: number) => [
    tokenBucket({ name: "b", limit: LIMIT, refill, per: "1d" }),
  ];
  const other = isolate({ prefix, policies: bucketOf(2) });
  for (const id of ["confirmed", "a"]) await other.charge(id, LIMIT);
  await pair.replicated();
  const limiter = isolate({ prefix, policies: bucketOf(1) });
  await limiter.limit("known");
  expect((await limiter.limit("confirmed")).reason).toBe("limited");
  await pair.replicated();
  const since = counter();
  expect((await limiter.limit("a")).reason).toBe("limited");
  expect(since().replica).toBe(1);
  await pair.replicated();
  const fresh = isolate({ prefix, policies: bucketOf(1) });
  await fresh.limit("known");
  expect((await fresh.limit("confirmed")).reason).toBe("limited");
  expect((await fresh.limit("a")).reason).toBe("replica-denial");
});
