import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import {
  durableObjectRegion,
  type LocationHint,
  type ObjectNamespace,
} from "../../src/durable-object.ts";
import { region } from "../../src/features/regions-feature.ts";
import { createLimiter } from "../../src/limiter/create-limiter.ts";
import type { StoreError } from "../../src/options/errors.ts";
import type { Policy } from "../../src/policy/policy.ts";

/* Regions of a real Redis whose stores are objects in workerd. */

const NEARBY = env["NEARBY"] as ObjectNamespace;
const HOME = env["UPSTASH_REDIS_REST_URL"] as string;
const redis = { url: HOME, token: env["UPSTASH_REDIS_REST_TOKEN"] as string };

let prefix = "";
let calls = { home: 0, spend: 0, put: 0 };
beforeEach(() => {
  prefix = `r${crypto.randomUUID()}`;
  calls = { home: 0, spend: 0, put: 0 };
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (...asked: Parameters<typeof fetch>) => {
    calls.home++;
    return fetch(...asked);
  });
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A namespace whose calls are counted, and whose objects another function may choose. */
function counted(nameOf: (name: string) => string = (name) => name): ObjectNamespace {
  return {
    idFromName: (name) => NEARBY.idFromName(nameOf(name)),
    get(id, options) {
      const stub = NEARBY.get(id, options) as Record<PropertyKey, (...args: unknown[]) => unknown>;
      return new Proxy(stub, {
        get:
          (_, method) =>
          (...args: unknown[]) => {
            if (method === "spend" || method === "put") calls[method]++;
            return stub[method]!(...args);
          },
      });
    },
  };
}

interface Options {
  readonly namespace?: ObjectNamespace;
  readonly home?: typeof redis;
  readonly more?: object;
  readonly own?: object;
}

/** An isolate of a region. It remembers no denial, so that each request reaches the store. */
function isolateIn(
  locationHint: LocationHint,
  policies: readonly Policy[],
  { namespace = counted(), home = redis, more, own }: Options = {},
) {
  const store = durableObjectRegion(namespace, { locationHint });
  return createLimiter({
    redis: home,
    region: region({ name: locationHint, store, ...own }),
    prefix,
    policies,
    denialCache: false,
    timeout: "10s",
    ...more,
  });
}

const objectOf = (locationHint: string, client: string) =>
  NEARBY.get(NEARBY.idFromName(`${locationHint} ${prefix}:{${client}}`));

const day = (limit: number) => fixedWindow({ name: "day", limit, window: "30d" });

type Limiter = { limit(client: string): Promise<{ readonly allowed: boolean }> };

/** How many of these requests, spread over the isolates, pass. */
async function passing(isolates: readonly Limiter[], requests: number, atOnce = 4) {
  let passed = 0;
  let sent = 0;
  const work = async () => {
    while (sent < requests) {
      const { allowed } = await isolates[sent++ % isolates.length]!.limit("client");
      passed += Number(allowed);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return passed;
}

test("a hot identity takes one call of its object, and a further one for each lease", async () => {
  const policies = [tokenBucket({ name: "hot", limit: 100_000, refill: 50_000, per: "1s" })];
  const isolate = isolateIn("weur", policies);
  expect(await passing([isolate], 2_000)).toBe(2_000);
  const { home, spend, put } = calls;
  expect(spend).toBe(2_000);
  // How many depends on the machine; test/region/object-figures.test.ts has the figures.
  expect(home).toBeLessThan(1_000);
  expect(put).toBeLessThanOrEqual(home);
});

test("isolates of two regions admit the limit together, and hold little of it unspent", async () => {
  const isolates = (["weur", "weur", "enam", "enam"] as const).map((hint) =>
    isolateIn(hint, [day(400)]),
  );
  const passed = await passing(isolates, 600, 8);
  expect(passed).toBeLessThanOrEqual(400);
  expect(passed).toBeGreaterThan(150);
});

test("an object that is evicted loses its units, and adds none", async () => {
  const isolate = isolateIn("weur", [day(200)]);
  let passed = 0;
  for (let evictions = 0; evictions < 5; evictions++) {
    passed += await passing([isolate], 40);
    await evictDurableObject(objectOf("weur", "client"));
  }
  passed += await passing([isolate], 200);
  expect(passed).toBeLessThanOrEqual(200);
  expect(passed).toBeGreaterThan(60);
});

test("two instances of an object that are alive together add no unit", async () => {
  let turn = 0;
  // Each call reaches one of them, whichever gave the claim.
  const either = counted((name) => `${name} ${(turn = (turn * 7 + 3) % 10) % 2}`);
  const isolates = [1, 2, 3].map(() => isolateIn("weur", [day(300)], { namespace: either }));
  const passed = await passing(isolates, 600, 6);
  expect(passed).toBeLessThanOrEqual(300);
  expect(passed).toBeGreaterThan(60);
});

test("workers of two versions, whose limits differ, share the units that home gave", async () => {
  const isolates = [200, 150].map((limit) => isolateIn("weur", [day(limit)]));
  const passed = await passing(isolates, 400);
  expect(passed).toBeLessThanOrEqual(200);
});

test("with credit the policy holds as it is written", async () => {
  const isolates = (["weur", "enam", "apac"] as const).map((hint) =>
    isolateIn(hint, [day(100)], { own: { credit: 4, regions: 3 } }),
  );
  expect(await passing(isolates, 300, 9)).toBeLessThanOrEqual(100);
});

test("home decides while an object is overloaded, and the log says so", async () => {
  const overloaded: ObjectNamespace = {
    idFromName: (name) => NEARBY.idFromName(name),
    get: () => {
      throw new Error("Durable Object is overloaded. Too many requests queued.");
    },
  };
  const errors: StoreError[] = [];
  const onStoreError = (error: StoreError) => void errors.push(error);
  const isolate = isolateIn("weur", [day(10)], { namespace: overloaded, more: { onStoreError } });
  expect(await passing([isolate], 20)).toBe(10);
  expect(errors.map(({ code, message }) => [code, message])).toEqual([
    [
      "ERR_STORE_UNREACHABLE",
      expect.stringContaining("The region weur: The Durable Object failed"),
    ],
  ]);
});

test("each partition has its object, and one that denies has the others give back", async () => {
  const limiter = isolateIn("weur", [
    fixedWindow({ name: "key", by: "key", limit: 1_000, window: "30d" }),
    fixedWindow({ name: "everybody", by: "*", limit: 100, window: "30d" }),
  ] as never) as unknown as {
    limit(client: object): Promise<{ readonly allowed: boolean; readonly reason?: string }>;
    peek(client: object): Promise<{ policies: readonly { name: string; remaining: number }[] }>;
  };
  let passed = 0;
  for (let i = 0; i < 300; i++) {
    passed += Number((await limiter.limit({ key: `k${i % 2}` })).allowed);
  }
  expect(passed).toBeLessThanOrEqual(100);
  expect(passed).toBeGreaterThan(30);
  let taken = 0;
  for (const key of ["k0", "k1"]) {
    const { policies } = await limiter.peek({ key });
    taken += 1_000 - policies.find(({ name }) => name === "key")!.remaining;
  }
  // What is not spent was leased for a term, and denied requests keep nothing of it.
  expect(taken).toBeGreaterThanOrEqual(passed);
});

test("while home is gone each region admits its share, whichever isolate asks", async () => {
  const home = { ...redis, url: "http://127.0.0.1:1" };
  const isolates = [1, 2, 3].map(() =>
    isolateIn("weur", [day(100)], { home, own: { regions: 5 }, more: { onStoreError: () => {} } }),
  );
  expect(await passing(isolates, 60, 1)).toBe(20);
});

test("a reset forgets what the region holds", async () => {
  const isolate = isolateIn("weur", [day(200)]);
  await passing([isolate], 50);
  await isolate.reset("client");
  expect(await passing([isolate], 1)).toBe(1);
  expect(calls.spend).toBe(51);
});
