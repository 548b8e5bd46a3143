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

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import type { Limiter } from "../../src/decide/limiter-types.ts";
import {
  client,
  createLimiter,
  type CreateLimiterOptions,
  type Decision,
  fixedWindow,
  type Policy,
  slidingWindowLog,
  type StoreError,
  tokenBucket,
} from "../../src/index.ts";
import { fromIoredis } from "../../src/node.ts";
import { installTimers, virtualTime } from "../support/virtual-time.ts";

let server: RedisServer;
let admin: Redis;
let stock: Bridge;
let upstash: Bridge;
beforeAll(async () => {
  server = await startRedisServer();
  admin = new Redis(server.url, {
    disableClientInfo: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
  const options = { redis: server.url, port: 0, token: "t" };
  stock = await startBridge(options);
  upstash = await startBridge({ ...options, emulate: "upstash" });
});
afterAll(async () => {
  admin.disconnect();
  await Promise.all([stock.close(), upstash.close()]);
  await server.stop();
});
beforeEach(() => admin.script("FLUSH"));

const bucket = tokenBucket({ name: "rides", limit: 10, refill: 1, per: "1h" });

/** An isolate that knows nothing yet. */
function isolate({ url, token }: Bridge, options: Partial<CreateLimiterOptions> = {}): Limiter {
  return createLimiter({
    redis: { url, token },
    policies: [bucket],
    timeout: "10s",
    denialCache: false,
    onStoreError: () => {},
    ...options,
  });
}

/** The requests that a bridge gets for one decision. */
async function requestsOf(limiter: Limiter, bridge: Bridge): Promise<number> {
  const before = bridge.requests;
  expect(await limiter.limit(crypto.randomUUID())).toMatchObject({ reason: "allowed" });
  return bridge.requests - before;
}

describe("an isolate's first decision", () => {
  test.for([
    ["stock Redis", () => stock, undefined],
    ["stock Redis, said to be one", () => stock, "redis"],
    ["Upstash, said to be one", () => upstash, "upstash"],
  ] as const)("on %s is one call, two where the script is not loaded", async ([, at, dialect]) => {
    const options = dialect && { dialect };
    const first = isolate(at(), options);
    expect(await requestsOf(first, at())).toBe(2);
    expect(await requestsOf(first, at())).toBe(1);
    const second = isolate(at(), options);
    expect(await requestsOf(second, at())).toBe(1);
    expect(await requestsOf(second, at())).toBe(1);
  });

  test("on Upstash under another name is corrected by the first answer, once", async () => {
    const first = isolate(upstash);
    expect(await requestsOf(first, upstash)).toBe(2);
    expect(await requestsOf(first, upstash)).toBe(1);
    // The script loaded now is for Upstash.
    expect(await requestsOf(isolate(upstash, { dialect: "upstash" }), upstash)).toBe(1);
  });

  test("on Upstash that is said to be stock Redis sends what the setting says", async () => {
    const first = isolate(upstash, { dialect: "redis" });
    expect(await requestsOf(first, upstash)).toBe(2);
    expect(await requestsOf(isolate(stock), stock)).toBe(1);
    expect(await requestsOf(first, upstash)).toBe(1);
  });

  test("on stock Redis that is said to be Upstash is corrected with four calls, once", async () => {
    const first = isolate(stock, { dialect: "upstash" });
    expect(await requestsOf(first, stock)).toBe(4);
    expect(await requestsOf(first, stock)).toBe(1);
  });

  test("a client of another package gets the scripts of the dialect that is said", async () => {
    const scripts: string[] = [];
    const limiter = createLimiter({
      redis: client({
        evalsha: async () => Promise.reject(new Error("NOSCRIPT No matching script.")),
        eval: async (text) => (scripts.push(text.slice(0, 5)), [1, 1, 1, 0, 0]),
      }),
      policies: [bucket],
      dialect: "upstash",
    });
    await limiter.limit("ada");
    expect(scripts).toEqual(["#!lua"]);
  });

  test.for([["Upstash"], [""], [null]])("takes no dialect %j", ([dialect]) => {
    expect(() => isolate(stock, { dialect } as object)).toThrow(
      'Use "upstash" or "redis", or leave it out.',
    );
  });
});

const MS = 1_000;

/** Isolates at a distance in virtual time. Each has connections of its own. */
function farIsolates({ distanceMs, handshakes }: { distanceMs: number; handshakes: number }) {
  const time = virtualTime(0);
  const restoreTimers = installTimers(time);
  onTestFinished(restoreTimers);
  // Real work, for which virtual time stands still.
  const digest = crypto.subtle.digest.bind(crypto.subtle);
  const digests = vi.spyOn(crypto.subtle, "digest");
  digests.mockImplementation((...given) => time.hold(digest(...given)));
  vi.spyOn(performance, "now").mockImplementation(() => time.now() / MS);
  onTestFinished(() => void vi.restoreAllMocks());
  const near = fromIoredis(admin);
  const errors: StoreError[] = [];

  function open(options: Partial<CreateLimiterOptions> = {}): Limiter {
    let connected: Promise<void> | undefined;
    const far =
      <Call extends unknown[]>(send: (...call: Call) => Promise<unknown>) =>
      async (...call: Call) => {
        await (connected ??= time.pass(handshakes * distanceMs * MS));
        await time.pass((distanceMs / 2) * MS);
        try {
          return await time.hold(send(...call));
        } finally {
          await time.pass((distanceMs / 2) * MS);
        }
      };
    return createLimiter({
      redis: client({ evalsha: far(near.evalsha), eval: far(near.eval) }),
      policies: [bucket],
      onStoreError: (error) => errors.push(error),
      ...options,
    });
  }
  return { time, open, errors };
}

/** The script of one policy, as stock Redis gets it. */
async function scriptOf(policy: Policy): Promise<string> {
  let script = "";
  const redis = client({
    evalsha: async () => Promise.reject(new Error("NOSCRIPT No matching script.")),
    eval: async (text: string) => ((script = text), [1, 1, 1, 0, 0]),
  });
  await createLimiter({ redis, policies: [policy] }).limit("a");
  return script;
}

describe("far from Redis", () => {
  test.for([
    ["a bucket", bucket],
    ["a log", slidingWindowLog({ name: "log", limit: 10, window: "1h" })],
    ["a window", fixedWindow({ name: "window", limit: 10, window: "366d" })],
  ] as const)("five isolates 130 ms away admit exactly 10 of 10: %s", async ([, policy]) => {
    const { time, open, errors } = farIsolates({ distanceMs: 130, handshakes: 2 });
    const user = crypto.randomUUID();
    const decisions: Promise<Decision>[] = [];
    const isolates = Array.from({ length: 5 }, () => open({ policies: [policy] }));
    for (const [i, limiter] of isolates.entries()) {
      // Before, while and after the first answer arrives.
      for (const ms of [0, 10, 300, 700, 1_500]) {
        time.at((i * 7 + ms) * MS, () => decisions.push(limiter.limit(user)));
      }
    }
    await time.run();
    const made = await Promise.all(decisions);
    expect(made.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(new Set(made.map(({ reason }) => reason))).toEqual(
      new Set(["allowed", "limited", "cached-denial"]),
    );
    expect(errors).toEqual([]);
  });

  test("twenty requests that wait for one slow connection are no failures", async () => {
    const { time, open, errors } = farIsolates({ distanceMs: 100, handshakes: 8 });
    await admin.script("LOAD", await scriptOf(bucket));
    const limiter = open();
    const first: Promise<Decision>[] = [];
    for (let i = 0; i < 20; i++) {
      time.at(i * MS, () => first.push(limiter.limit(crypto.randomUUID())));
    }
    await time.run();
    const reasons = (await Promise.all(first)).map(({ reason }) => reason);
    expect(reasons).toEqual(Array(20).fill("allowed"));
    expect(errors).toEqual([]);
  });

  test("a store that answered once is waited for as long as the timeout says", async () => {
    const away = farIsolates({ distanceMs: 260, handshakes: 0 });
    await admin.script("LOAD", await scriptOf(bucket));
    const distant = away.open();
    const answers: [number, string][] = [];
    for (const ms of [0, 1_000]) {
      away.time.at(ms * MS, () => {
        const sentAt = away.time.now();
        void distant
          .limit(crypto.randomUUID())
          .then(({ reason }) => answers.push([(away.time.now() - sentAt) / MS, reason]));
      });
    }
    await away.time.run();
    expect(answers).toEqual([
      [260, "allowed"],
      [250, "store-unavailable"],
    ]);
  });

  test("a Redis that never answers delays no request by more than a second", async () => {
    const { time, open, errors } = farIsolates({ distanceMs: 1e9, handshakes: 0 });
    const waits: number[] = [];
    const limiter = open();
    for (let i = 0; i < 30; i++) {
      time.at(i * 100 * MS, () => {
        const sentAt = time.now();
        void limiter.limit(crypto.randomUUID()).then(() => waits.push((time.now() - sentAt) / MS));
      });
    }
    await time.run();
    expect(waits).toHaveLength(30);
    expect(Math.max(...waits)).toBe(1_000);
    expect(errors).toHaveLength(1);
    // Five in a row suspend it; then one request a second asks again.
    expect(waits.filter((ms) => ms > 0).length).toBeLessThanOrEqual(16);
  });
});
