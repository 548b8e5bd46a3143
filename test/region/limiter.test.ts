import { afterEach, beforeEach, expect, test, vi } from "vitest";

import {
  concurrency,
  ConfigurationError,
  createLimiter,
  failures,
  fixedWindow,
  lease,
  memoryStore,
  optimistic,
  plans,
  type Policy,
  refundable,
  region,
  type RegionOptions,
  shadow,
  shards,
  shareDenials,
  slidingWindowLog,
  StoreError,
  tokenBucket,
} from "../../src/index.ts";
import { ownRedis, TOKEN } from "../support/own-redis.ts";

/* Limiters of several regions over real servers: a home, and a Redis for each region, behind REST bridges. */

const home = ownRedis();
const fra = ownRedis();
const gru = ownRedis("upstash");

type Own = ReturnType<typeof ownRedis>;
const at = ({ bridge }: Own) => ({ url: bridge.url, token: TOKEN });
const GONE = { url: "http://127.0.0.1:9", token: TOKEN };

let prefix = "";
let calls: Record<"home" | "nearby", number> = { home: 0, nearby: 0 };
beforeEach(() => {
  prefix = `t${crypto.randomUUID()}`;
  calls = { home: 0, nearby: 0 };
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (...asked: Parameters<typeof fetch>) => {
    calls[String(asked[0]).startsWith(home.bridge.url) ? "home" : "nearby"]++;
    return fetch(...asked);
  });
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const hot = tokenBucket({ name: "hot", limit: 4_000, refill: 1_000, per: "1s" });

interface Options {
  readonly policies?: readonly Policy[];
  readonly redis?: RegionOptions["redis"];
  readonly own?: Partial<RegionOptions>;
  readonly more?: object;
}

/** A limiter of a region, whose isolate remembers no denial unless asked to. */
function limiterIn(where: Own, { policies = [hot], redis, own, more }: Options = {}) {
  return createLimiter({
    redis: at(home),
    prefix,
    denialCache: false,
    onFailure: "closed",
    timeout: "2s",
    region: region({ name: "fra", redis: redis ?? at(where), ...own }),
    policies,
    ...more,
  });
}

/** Waits until what requests left in the background has arrived. */
async function settled(): Promise<void> {
  const before = { ...calls };
  await new Promise((resolve) => setTimeout(resolve, 50));
  if (before.home !== calls.home || before.nearby !== calls.nearby) await settled();
}

test.each([
  ["Redis", () => fra],
  ["Upstash", () => gru],
])(
  "a hot identity is decided by the %s nearby, and few requests wait for home",
  async (_, where) => {
    const limiter = limiterIn(where());
    for (let i = 0; i < 20; i++) await limiter.limit("a");
    await settled();
    const before = { ...calls };
    const decisions = [];
    for (let i = 0; i < 200; i++) decisions.push(await limiter.limit("a"));
    expect(decisions.every(({ reason }) => reason === "allowed")).toBe(true);
    expect(calls.nearby - before.nearby).toBeGreaterThanOrEqual(200);
    expect(calls.home - before.home).toBeLessThan(100);
  },
);

test("the commandstats of the two stores tell that few decisions of a hot identity are made at home", async () => {
  const callsAt = async ({ redis }: Own) => {
    const stats = await redis.info("commandstats");
    return Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
  };
  const limiter = limiterIn(fra);
  for (let i = 0; i < 20; i++) await limiter.limit("a");
  await settled();
  const before = [await callsAt(home), await callsAt(fra)] as const;
  const begin = performance.now();
  for (let i = 0; i < 500; i++) await limiter.limit("a");
  await settled();
  // On a busy machine more terms pass, and in each a region asks home anew.
  const terms = (performance.now() - begin) / 250;
  expect((await callsAt(home)) - before[0]).toBeLessThan(50 + terms);
  expect((await callsAt(fra)) - before[1]).toBeGreaterThanOrEqual(500);
});

test("two regions never admit more than the limit together, and say what a region denied", async () => {
  const policies = [slidingWindowLog({ name: "log", limit: 100, window: "30d" })];
  const limiters = [limiterIn(fra, { policies }), limiterIn(gru, { policies })];
  const reasons = new Map<string, number>();
  for (let round = 0; round < 10; round++) {
    const asked = limiters.flatMap((limiter) =>
      Array.from({ length: 10 }, () => limiter.limit("a")),
    );
    for (const { reason } of await Promise.all(asked)) {
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    await settled();
  }
  expect(reasons.get("allowed")).toBeLessThanOrEqual(100);
  expect(reasons.get("allowed")).toBeGreaterThan(50);
  expect(reasons.get("region-denial")).toBeGreaterThan(0);
  expect(
    [...reasons.keys()].every((reason) => ["allowed", "limited", "region-denial"].includes(reason)),
  ).toBe(true);
});

test("a denial of a region tells a wait, and has the rows of its policies", async () => {
  const limiter = limiterIn(fra, {
    policies: [fixedWindow({ name: "p", limit: 3, window: "30d" })],
    // The region asks home again after a quarter of it.
    own: { term: "10s" },
  });
  for (let i = 0; i < 3; i++) expect((await limiter.limit("a")).allowed).toBe(true);
  expect((await limiter.limit("a")).allowed).toBe(false);
  await settled();
  const before = calls.home;
  const denied = await limiter.limit("a");
  expect(denied).toMatchObject({ allowed: false, reason: "region-denial", status: 429 });
  expect(denied.policies).toMatchObject([{ name: "p", limit: 3, remaining: 0, allowed: false }]);
  expect(denied.retryAfterMs).toBeGreaterThan(0);
  expect(denied.policies[0]!.resetAfterMs).toBeGreaterThan(0);
  expect(calls.home).toBe(before);
});

test("where few units are left for a large cost, a small one is still asked for at home", async () => {
  const limiter = limiterIn(fra, {
    policies: [fixedWindow({ name: "p", limit: 10, window: "30d" })],
  });
  expect((await limiter.limit("a", { cost: 8 })).allowed).toBe(true);
  expect((await limiter.limit("a", { cost: 5 })).allowed).toBe(false);
  await settled();
  expect((await limiter.limit("a", { cost: 1 })).allowed).toBe(true);
});

test("while the region gives no answer home decides, and the listener hears of it", async () => {
  const errors: StoreError[] = [];
  const more = { onStoreError: (error: StoreError) => void errors.push(error) };
  const policies = [fixedWindow({ name: "p", limit: 8, window: "30d" })];
  const limiter = limiterIn(fra, { policies, redis: GONE, more });
  const allowed = [];
  for (let i = 0; i < 12; i++) allowed.push((await limiter.limit("a")).reason);
  expect(allowed).toEqual([...Array(8).fill("allowed"), ...Array(4).fill("limited")]);
  expect(errors.map(({ code, message }) => [code, /^The region \w+: /.test(message)])).toEqual([
    ["ERR_STORE_UNREACHABLE", true],
  ]);
  expect(errors.map(({ region }) => region)).toEqual(["fra"]);
  expect(calls.home).toBeGreaterThanOrEqual(12);
});

test("the log names the region that gives no answer, and says who decides", async () => {
  await limiterIn(fra, { redis: GONE, own: { name: "sea" } }).limit("a");
  expect(vi.mocked(console.warn).mock.calls.flat().join("\n")).toMatch(
    /ERR_STORE_UNREACHABLE: The region sea: .* Until it answers again, home decides each request\./,
  );
});

test("the log and the decision name home where it is home that gives no answer", async () => {
  const { error } = await limiterIn(fra, { more: { redis: GONE } }).limit("a");
  expect(error!.message).toMatch(/^Home: Redis could not be reached/);
  expect(error!.region).toBeUndefined();
  expect(vi.mocked(console.warn).mock.calls.flat().join("\n")).toMatch(
    /ERR_STORE_UNREACHABLE: Home: .* Until it answers again, each region spends what it holds, then each policy's onFailure decides\./,
  );
});

test("while home gives no answer the region spends what it has, then onFailure decides", async () => {
  const options = { own: { term: "2s" as const } };
  const warm = limiterIn(fra, options);
  for (let i = 0; i < 40; i++) await warm.limit("a");
  await settled();
  const cold = limiterIn(fra, { ...options, more: { redis: GONE, onStoreError: () => {} } });
  const first = await cold.limit("a");
  expect(first.reason).toBe("allowed");
  const reasons: string[] = [];
  while (reasons.at(-1) !== "store-unavailable" && reasons.length < 4_000) {
    reasons.push((await cold.limit("a")).reason);
  }
  expect(new Set(reasons)).toEqual(new Set(["allowed", "store-unavailable"]));
});

test("while home gives no answer regions admit no more than the limit together, however many isolates they have", async () => {
  const policies = [fixedWindow({ name: "p", limit: 11, window: "30d" })];
  const isolate = (where: Own, more: object = {}) =>
    limiterIn(where, {
      policies,
      own: { regions: 2 },
      more: { redis: GONE, onFailure: "local", onStoreError: () => {}, ...more },
    });
  const isolates = [fra, gru].flatMap((where) => [isolate(where), isolate(where)]);
  const decisions = [];
  for (let i = 0; i < 24; i++) decisions.push(await isolates[i % 4]!.limit("a"));
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10);
  expect(new Set(decisions.map(({ reason }) => reason))).toEqual(new Set(["store-unavailable"]));
  expect(decisions.at(-1)).toMatchObject({
    status: 429,
    error: { code: expect.stringMatching(/^ERR_STORE_/) as string },
    policies: [{ name: "p", limit: 11, remaining: 0 }],
  });
  // What fails closed has no share, nor has a limit below the number of regions.
  const closed = isolate(fra, { onFailure: "closed" });
  expect((await closed.limit("b")).status).toBe(503);
  const small = [fixedWindow({ name: "small", limit: 1, window: "30d" })];
  expect((await isolate(fra, { policies: small }).limit("c")).allowed).toBe(true);
});

test("a reset empties the pools of this region, too", async () => {
  const policies = [fixedWindow({ name: "p", limit: 50, window: "30d" })];
  const limiter = limiterIn(fra, { policies });
  for (let i = 0; i < 60; i++) await limiter.limit("a");
  await settled();
  expect((await limiter.limit("a")).allowed).toBe(false);
  await limiter.reset("a");
  expect((await limiter.limit("a")).allowed).toBe(true);
  expect((await limiter.peek("a")).policies[0]!.remaining).toBe(49);
});

test("peeks and charges are for home, and a charge counts for every region", async () => {
  const policies = [fixedWindow({ name: "p", limit: 5, window: "30d" })];
  const limiter = limiterIn(fra, { policies });
  await limiter.charge("a", 5);
  expect(calls.nearby).toBe(0);
  expect((await limiter.peek("a")).policies[0]!.remaining).toBe(0);
  expect((await limiterIn(gru, { policies }).limit("a")).allowed).toBe(false);
});

test("the cost of several dimensions is taken together or not at all", async () => {
  const policies = [
    { ...hot, by: "*" },
    fixedWindow({ name: "own", by: "user", limit: 2, window: "30d" }),
  ];
  const limiter = limiterIn(fra, { policies });
  const asked = [];
  for (let i = 0; i < 12; i++) asked.push(await limiter.limit({ "*": "all", user: `u${i % 3}` }));
  expect(asked.filter(({ allowed }) => allowed)).toHaveLength(6);
  await settled();
  const { policies: rows } = await limiter.peek({ "*": "all", user: "u0" });
  expect(rows.map(({ name, allowed }) => [name, allowed])).toEqual([
    ["hot", true],
    ["own", false],
  ]);
});

const refundableOf = (name: string) =>
  fixedWindow({ name, limit: 1e6, window: "30d", refundable: refundable() });

const HOME_ALONE = [
  refundableOf("back"),
  shadow(fixedWindow({ name: "seen", limit: 1e6, window: "30d" })),
  fixedWindow({ name: "failed", limit: 1e6, window: "30d", counts: failures() }),
  fixedWindow({ name: "split", limit: 1e6, window: "30d", shards: shards(2) }),
  tokenBucket({ name: "short", limit: 10, refill: 1_000, per: "1s" }),
];
const WHY_HOME =
  '"back" has refundable, "seen" has shadow, "failed" has counts, "split" has shards, "short" would have a term of less than 100ms.';

test("what cannot be leased is decided at home, with each request in which it takes part; the log says so", async () => {
  const policies = [
    { ...hot, by: "user" },
    ...HOME_ALONE.map((policy): Policy => ({ ...policy, by: "tenant" })),
  ];
  const limiter = limiterIn(fra, { policies });
  expect(vi.mocked(console.warn).mock.calls.flat()).toEqual([
    `tidegate: the region fra cannot decide requests in which one of these policies takes part, so that they wait for home: ${WHY_HOME}`,
  ]);
  expect((await limiter.limit({ user: "a", tenant: "t" })).allowed).toBe(true);
  expect(calls.nearby).toBe(0);
  expect((await limiter.limit({ user: "a" })).allowed).toBe(true);
  expect(calls.nearby).toBeGreaterThan(0);
});

test("where one of them takes part in each request, the log says that all wait for home", async () => {
  const limiter = limiterIn(fra, { policies: [hot, ...HOME_ALONE] });
  expect(vi.mocked(console.warn).mock.calls.flat()).toEqual([
    `tidegate: the region fra cannot decide any request, so that all wait for home: ${WHY_HOME}`,
  ]);
  expect((await limiter.limit("a")).allowed).toBe(true);
  expect(calls.nearby).toBe(0);
});

test("a region is a fault where home decides all policies, and the fault says why", () => {
  expect(() => limiterIn(fra, { policies: HOME_ALONE })).toThrow(
    `home has to decide each request. ${WHY_HOME}`,
  );
});

test.each<[string, Policy, Partial<RegionOptions>, boolean]>([
  ["100 a minute", slidingWindowLog({ name: "p", limit: 100, window: "1m" }), {}, true],
  ["120 a minute", slidingWindowLog({ name: "p", limit: 120, window: "1m" }), {}, false],
  [
    "120 a minute, with half a term",
    slidingWindowLog({ name: "p", limit: 120, window: "1m" }),
    { term: "500ms" },
    true,
  ],
  ["31 a second", fixedWindow({ name: "p", limit: 31, window: "1s" }), {}, true],
  ["32 a second", fixedWindow({ name: "p", limit: 32, window: "1s" }), {}, false],
  [
    "100 a minute, with credit",
    slidingWindowLog({ name: "p", limit: 100, window: "1m" }),
    { credit: 1, regions: 2 },
    false,
  ],
])("the log says of %s whether a region has something to take ahead", (_, policy, own, isSmall) => {
  limiterIn(fra, { policies: [policy], own: { name: `r${crypto.randomUUID()}`, ...own } });
  const said = vi.mocked(console.warn).mock.calls.flat().join("\n");
  expect(
    /can take units ahead in bursts at most: "p" (?:makes less than 2 units a term|has a limit below 32)/.test(
      said,
    ),
  ).toBe(isSmall);
});

test("the log names no policy that has units to take ahead under a plan", () => {
  const policies = [slidingWindowLog({ name: "p", limit: 100, window: "1m" })];
  const more = { plans: plans({ gold: { p: { limit: 6_000 } } }) };
  limiterIn(fra, { policies, more, own: { name: `r${crypto.randomUUID()}` } });
  expect(console.warn).not.toHaveBeenCalled();
});

test("clients of a plan are decided in the region by their numbers", async () => {
  const policies = [fixedWindow({ name: "p", limit: 3, window: "30d" })];
  const more = { plans: plans({ gold: { p: { limit: 6 } } }) };
  const limiter = limiterIn(fra, { policies, more });
  const allowed = async (id: string, plan?: string) => {
    let count = 0;
    for (let i = 0; i < 9; i++) count += Number((await limiter.limit(id, { plan })).allowed);
    return count;
  };
  expect(await allowed("a")).toBe(3);
  expect(await allowed("b", "gold")).toBe(6);
});

test("on credit a first request does not wait for home, and home's limit leaves room for all regions", async () => {
  const policies = [fixedWindow({ name: "p", limit: 20, window: "30d" })];
  const own = { credit: 2, regions: 3 };
  const limiters = [limiterIn(fra, { policies, own }), limiterIn(gru, { policies, own })];
  for (const id of ["a", "b"]) {
    const first = await limiters[0]!.limit(id);
    expect(first.reason).toBe("allowed");
    expect(first.policies[0]).not.toHaveProperty("resetAfterMs");
  }
  await settled();
  let allowed = 1;
  for (let i = 0; i < 40; i++) {
    allowed += Number((await limiters[i % 2]!.limit("a")).allowed);
    await settled();
  }
  expect(allowed).toBeGreaterThanOrEqual(14);
  expect(allowed).toBeLessThanOrEqual(20);
});

test("keys of a region expire", async () => {
  await limiterIn(fra).limit("a");
  await settled();
  const keys = await fra.redis.keys(`${prefix}*`);
  expect(keys).toHaveLength(1);
  expect(await fra.redis.pttl(keys[0]!)).toBeGreaterThan(0);
});

test.each<[string, object, readonly string[]]>([
  ["without options", { region: region(undefined as never) }, ["region"]],
  [
    "of faulty options",
    {
      region: region({
        redis: undefined,
        name: "a b",
        term: "1h",
        credit: 0,
        regions: -1,
        x: 1,
      } as never),
    },
    ["region.x", "region.name", "region.redis", "region.term", "region.credit", "region.regions"],
  ],
  [
    "with credit alone",
    { region: region({ name: "a", redis: GONE, credit: 1 }) },
    ["region.credit"],
  ],
  [
    "with more credit than half a limit",
    {
      region: region({ name: "a", redis: GONE, credit: 5, regions: 20 }),
      policies: [fixedWindow({ limit: 199, window: "30d" })],
    },
    ["region.credit"],
  ],
  [
    "with optimistic policies alone",
    { policies: [fixedWindow({ limit: 100, window: "30d", optimistic: optimistic() })] },
    ["region"],
  ],
  ["with a lease of all policies", { lease: lease("100ms") }, ["region"]],
  ["with a store", { redis: undefined, store: memoryStore() }, ["region"]],
  [
    "with shared denials",
    {
      sharedDenials: shareDenials({ get: async () => undefined, put: () => {} }),
      denialCache: undefined,
    },
    ["region"],
  ],
  [
    "without a policy that it can decide",
    { policies: [tokenBucket({ limit: 1, refill: 9, per: "1s" })] },
    ["region"],
  ],
  [
    "at no address",
    { region: region({ name: "a", redis: { url: "nowhere", token: "t" } }) },
    ["region.redis.url"],
  ],
])("a region %s is refused", (_, options, paths) => {
  const create = () =>
    createLimiter({
      redis: GONE,
      region: region({ name: "a", redis: GONE }),
      policies: [hot],
      ...options,
    });
  expect(faultsOf(create)).toEqual(paths);
});

test("a Redis Cluster is neither home nor region, and slots are never leased", () => {
  expect(
    faultsOf(() =>
      createLimiter({
        redis: GONE,
        region: region({ name: "a", redis: GONE }),
        policies: [concurrency({ limit: 5 })],
      }),
    ),
  ).toEqual(["region"]);
});

function faultsOf(create: () => unknown): readonly string[] {
  try {
    create();
    return [];
  } catch (error) {
    return (error as ConfigurationError).faults.map(({ path }) => path);
  }
}
