import { Cluster, Redis } from "ioredis";
import { createClient, createClientPool, createCluster, createSentinel } from "redis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";

import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { ConfigurationError, createLimiter, fixedWindow } from "../../src/index.ts";
import { fromIoredis, fromNodeRedis } from "../../src/node.ts";
import { staleConnection } from "../../src/store/redis/stale-connection.ts";
import { type RedisAddress, startAddress } from "../support/redis-address.ts";
import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.ts";

const ONCE = { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 };

/** Opens a client that ends with the test. */
type OpenClient = (address: RedisAddress) => Promise<ReturnType<typeof fromIoredis>>;

/** The clients of node-redis share these. */
const ofNodeRedis = ({ port }: RedisAddress) => ({
  disableOfflineQueue: true,
  socket: { host: "127.0.0.1", port },
});

const single: Readonly<Record<string, OpenClient>> = {
  async "a Redis of ioredis"({ url }) {
    const redis = new Redis(url, ONCE).on("error", () => {});
    onTestFinished(() => redis.disconnect());
    return fromIoredis(redis);
  },
  async "a Redis of ioredis that keeps commands for a new connection"({ url }) {
    const redis = new Redis(url, { autoResendUnfulfilledCommands: false }).on("error", () => {});
    onTestFinished(() => redis.disconnect());
    return fromIoredis(redis);
  },
  async "a client of node-redis"(address) {
    const client = createClient(ofNodeRedis(address)).on("error", () => {});
    await client.connect();
    onTestFinished(() => client.destroy());
    return fromNodeRedis(client);
  },
  async "a pool of node-redis"(address) {
    const pool = createClientPool(ofNodeRedis(address), { minimum: 1, maximum: 1 });
    pool.on("error", () => {});
    await pool.connect();
    onTestFinished(() => pool.destroy());
    return fromNodeRedis(pool);
  },
};

const clusters: Readonly<Record<string, OpenClient>> = {
  async "a Cluster of ioredis"({ url }) {
    const cluster = new Cluster([url], {
      retryDelayOnFailover: 0,
    }).on("error", () => {});
    onTestFinished(() => cluster.disconnect());
    return fromIoredis(cluster);
  },
  async "a Cluster of ioredis whose nodes reconnect"({ url }) {
    const cluster = new Cluster([url], {
      retryDelayOnFailover: 0,
      clusterNodeRetryStrategy: () => 20,
      redisOptions: ONCE,
    }).on("error", () => {});
    onTestFinished(() => cluster.disconnect());
    return fromIoredis(cluster);
  },
  async "a cluster of node-redis"(address) {
    const cluster = createCluster({
      rootNodes: [ofNodeRedis(address)],
      defaults: { disableOfflineQueue: true },
    }).on("error", () => {});
    await cluster.connect();
    onTestFinished(() => cluster.destroy());
    return fromNodeRedis(cluster);
  },
};

let servers: readonly RedisServer[];
let cluster: RedisCluster;
beforeAll(async () => {
  [cluster, ...servers] = await Promise.all([
    startRedisCluster({ masters: 1 }),
    startRedisServer(),
    startRedisServer(),
  ]);
});
afterAll(() => Promise.all([cluster, ...servers].map((each) => each.stop())));

/** A server, and the address under which clients of this test know it. */
const startSingle = () => startAddress(servers[0]!);

/** The master of a Cluster, and the address under which it has the clients of this test find it. */
async function startMaster() {
  const [master] = cluster.nodes;
  const address = await startAddress(master!);
  const redis = new Redis(master!.url);
  onTestFinished(() => redis.disconnect());
  await redis.config("SET", "cluster-announce-ip", "127.0.0.1");
  await redis.config("SET", "cluster-announce-port", address.port);
  return address;
}

function limiterOn(redis: ReturnType<typeof fromIoredis>) {
  const failures: string[] = [];
  const limiter = createLimiter({
    redis,
    prefix: crypto.randomUUID(),
    policies: [fixedWindow({ name: "api", limit: 1_000, window: "30d" })],
    timeout: "2s",
    onFailure: "open",
    onStoreError: ({ message }) => failures.push(message),
  });
  return { limiter, failures };
}

describe.each([
  ...Object.entries(single).map(([name, open]) => ({ name, open, start: startSingle })),
  ...Object.entries(clusters).map(([name, open]) => ({ name, open, start: startMaster })),
])("$name", ({ open, start }) => {
  test("sends a decision once when its reply is lost", { timeout: 30_000 }, async () => {
    const address = await start();
    const { limiter } = limiterOn(await open(address));
    expect(await limiter.limit("ada")).toMatchObject({ reason: "allowed" });
    const before = address.scripts();
    address.cutReplies();
    expect(await limiter.limit("ada")).toMatchObject({ reason: "store-unavailable" });
    // Whatever waits for a new connection would be sent over the next one.
    await expect.poll(() => address.made()).toBeGreaterThan(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(address.scripts() - before).toBe(1);
  });
});

describe.each(Object.entries(single))("%s", (_name, open) => {
  test("finds the new master behind one address by itself", { timeout: 30_000 }, async () => {
    const [first, second] = servers as [RedisServer, RedisServer];
    const address = await startAddress(first);
    const { limiter, failures } = limiterOn(await open(address));
    expect(await limiter.limit("ada")).toMatchObject({ reason: "allowed" });
    const made = address.made();
    const demoted = new Redis(first.url);
    onTestFinished(async () => {
      await demoted.replicaof("NO", "ONE");
      demoted.disconnect();
    });
    await demoted.replicaof("127.0.0.1", second.port);
    address.pointAt(second);
    expect(await limiter.limit("ada")).toMatchObject({ reason: "store-unavailable" });
    expect(failures).toEqual([expect.stringContaining("READONLY")]);
    await expect.poll(async () => (await limiter.limit("ada")).reason).toBe("allowed");
    expect(address.made()).toBe(made + 1);
  });
});

describe.each(Object.entries(clusters))("%s", (_name, open) => {
  test("connects anew when a connection lost its login", { timeout: 30_000 }, async () => {
    const address = await startMaster();
    const { limiter } = limiterOn(await open(address));
    expect(await limiter.limit("ada")).toMatchObject({ reason: "allowed" });
    address.spoil("NOAUTH Authentication required.");
    expect(await limiter.limit("ada")).toMatchObject({
      error: { code: "ERR_STORE_UNAUTHORIZED" },
    });
    await expect.poll(async () => (await limiter.limit("ada")).reason).toBe("allowed");
  });
});

describe("construction", () => {
  const faultsOf = (make: () => unknown) => {
    try {
      make();
    } catch (error) {
      return (error as ConfigurationError).faults.map(({ path, code }) => [path, code]);
    }
    return [];
  };
  const idle = { lazyConnect: true };

  test.each([
    [
      "a Redis with its defaults",
      () => new Redis(idle),
      "client.options.autoResendUnfulfilledCommands",
    ],
    [
      "a Redis that would retry",
      () => new Redis({ ...idle, maxRetriesPerRequest: null }),
      "client.options.autoResendUnfulfilledCommands",
    ],
    [
      "a Cluster with its defaults",
      () => new Cluster(["redis://127.0.0.1:1"], idle),
      "client.options.retryDelayOnFailover",
    ],
    [
      "a Cluster whose nodes would send again",
      () =>
        new Cluster(["redis://127.0.0.1:1"], {
          ...idle,
          retryDelayOnFailover: 0,
          clusterNodeRetryStrategy: () => 20,
        }),
      "client.options.redisOptions.autoResendUnfulfilledCommands",
    ],
  ])("%s is refused, since it sends decisions again", (_name, make, path) => {
    const client = make();
    onTestFinished(() => client.disconnect());
    expect(faultsOf(() => fromIoredis(client))).toEqual([[path, "unsupported"]]);
  });

  test.each([
    { ...idle, maxRetriesPerRequest: 0 },
    { ...idle, autoResendUnfulfilledCommands: false },
  ])("a Redis with %j is taken, since one of the two suffices", (options) => {
    const redis = new Redis(options);
    onTestFinished(() => redis.disconnect());
    expect(faultsOf(() => fromIoredis(redis))).toEqual([]);
  });

  test("a sentinel of node-redis is refused, since it sends decisions again", () => {
    const sentinel = createSentinel({
      name: "main",
      sentinelRootNodes: [{ host: "::1", port: 1 }],
    });
    expect(faultsOf(() => fromNodeRedis(sentinel))).toEqual([["client", "unsupported"]]);
  });

  test("a client on Workers is refused at once, with what to give there", () => {
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    onTestFinished(() => void vi.unstubAllGlobals());
    const redis = new Redis({ ...idle, ...ONCE });
    onTestFinished(() => redis.disconnect());
    expect(() => fromIoredis(redis)).toThrow("Give redis: { url, token }");
    expect(faultsOf(() => fromNodeRedis(createClient()))).toEqual([["client", "unsupported"]]);
  });
});

test("a connection is made anew at most once a second, and for nothing that only reads like it", () => {
  let nowMs = 0;
  const isStale = staleConnection(() => nowMs);
  const saying = (message: string) => isStale(new Error(message));
  expect(saying("ERR READONLY is not the first word")).toBe(false);
  expect(saying("READONLYX")).toBe(false);
  expect(isStale(undefined)).toBe(false);
  const readOnly = "READONLY You can't write against a read only replica.";
  expect([saying(readOnly), saying(readOnly)]).toEqual([true, false]);
  nowMs = 999;
  expect(saying(readOnly)).toBe(false);
  for (const message of [
    "LOADING Redis is loading the dataset in memory",
    "UNBLOCKED force unblock from blocking operation, instance state changed",
    "NOAUTH Authentication required.",
    `ERR Error running script (call to f_0a): @user_script:12: -${readOnly}`,
  ]) {
    nowMs += 1_000;
    expect(saying(message)).toBe(true);
  }
});
