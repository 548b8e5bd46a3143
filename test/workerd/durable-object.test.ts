import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { durableObjectStore, type ObjectNamespace } from "../../src/durable-object.ts";
import { concurrency } from "../../src/features/holds/concurrency-option.ts";
import { createLimiter } from "../../src/limiter/create-limiter.ts";
import { storeContract } from "../store/contract.ts";

/** A test that is tried again finds its objects of before. */
let prefix: string;
beforeEach(() => void (prefix = crypto.randomUUID()));

const namespace = env["LIMITS"] as ObjectNamespace;

/** A machine with other work takes longer than the network of a data centre. */
const openStore = () => durableObjectStore(namespace, { timeout: "10s" });

/** The object that counts a client. */
const objectOf = (client: string) => namespace.get(namespace.idFromName(`${prefix}:{${client}}`));

const namesIn = (object: object) =>
  runInDurableObject(object, (_instance, { storage }) => [...storage.kv.list()].length);

describe("durableObjectStore() over objects in workerd", () => {
  const store = openStore();
  storeContract(() => store);
});

describe("a limiter on Durable Objects", () => {
  test("counts in all isolates together, exactly", async () => {
    const isolates = Array.from({ length: 4 }, () =>
      createLimiter({
        store: openStore(),
        prefix,
        policies: [slidingWindowLog({ limit: 10, window: "1d" })],
      }),
    );
    const decisions = await Promise.all(
      Array.from({ length: 40 }, (_, i) => isolates[i % 4]!.limit("client")),
    );
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10);
  });

  test("gives back the units that one object took when that of another dimension denies", async () => {
    const limiter = createLimiter({
      store: openStore(),
      prefix,
      policies: [
        fixedWindow({ name: "key", by: "key", limit: 100, window: "1d" }),
        fixedWindow({ name: "everybody", by: "*", limit: 3, window: "1d" }),
      ],
    });
    const allowed = [];
    for (let i = 0; i < 6; i++) allowed.push((await limiter.limit({ key: `k${i % 2}` })).allowed);
    expect(allowed).toEqual([true, true, true, false, false, false]);
    const left = [];
    for (const key of ["k0", "k1"]) {
      left.push((await limiter.peek({ key })).policies.find(({ name }) => name === "key"));
    }
    expect(left.map((policy) => policy?.remaining)).toEqual([98, 99]);
  });

  test("gives slots to holds, keeps them for longer, and frees them", async () => {
    const limiter = createLimiter({
      store: openStore(),
      prefix,
      policies: [concurrency({ name: "streams", limit: 1, ttl: "1m" })],
    });
    const hold = await limiter.reserve("client");
    expect((await limiter.reserve("client")).allowed).toBe(false);
    expect(await hold.extend("30s")).toEqual({ status: "extended" });
    await hold.release();
    expect((await limiter.reserve("client")).allowed).toBe(true);
  });

  test("a reset forgets a client, also in the stored counts", async () => {
    const limiter = createLimiter({
      store: openStore(),
      prefix,
      policies: [fixedWindow({ limit: 1, window: "1d" })],
    });
    expect((await limiter.limit("client")).allowed).toBe(true);
    expect(await namesIn(objectOf("client"))).toBe(1);
    await limiter.reset("client");
    expect(await namesIn(objectOf("client"))).toBe(0);
    expect((await limiter.limit("client")).allowed).toBe(true);
  });
});

describe("an object", () => {
  test("counts on after it was evicted from memory", async () => {
    const limiter = createLimiter({
      store: openStore(),
      prefix,
      denialCache: false,
      policies: [
        tokenBucket({ name: "bucket", limit: 5, refill: 1, per: "1d" }),
        slidingWindowLog({ name: "log", limit: 5, window: "1d" }),
      ],
    });
    for (let i = 0; i < 3; i++) await limiter.limit("client");
    await evictDurableObject(objectOf("client"));
    const { policies } = await limiter.limit("client");
    expect(policies.map(({ remaining }) => remaining)).toEqual([1, 1]);
  });

  test("stores nothing once no count is alive, and an alarm before that keeps the live ones", async () => {
    const limiter = createLimiter({
      store: openStore(),
      prefix,
      policies: [slidingWindowLog({ limit: 5, window: "1s" })],
    });
    await limiter.limit("client");
    const object = objectOf("client");
    expect(await runDurableObjectAlarm(object)).toBe(true);
    expect(await namesIn(object)).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await runDurableObjectAlarm(object)).toBe(true);
    expect(await namesIn(object)).toBe(0);
    // Without anything to sweep there is no alarm.
    expect(await runDurableObjectAlarm(object)).toBe(false);
  });
});
