import { describe, expect, test } from "vitest";

import type { FaultCode } from "../../src/options/errors.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import {
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
  memoryStore,
  type Policy,
  slidingWindowLog,
  tokenBucket,
} from "../support/limiter/plain.ts";
import { NO_ANSWER, watchedStore } from "../support/limiter/watched-store.ts";

const failures = (more: object = {}): Policy =>
  slidingWindowLog({ name: "login", counts: "failures", limit: 2, window: "10m", ...more });

function open(policies: readonly Policy[]) {
  const { store, world, asked } = watchedStore(FUTURE);
  return { limiter: createLimiter({ store, policies }), world, asked };
}

describe("a policy that counts failures", () => {
  test("is reserved by every request, and has room again when one was none", async () => {
    const { limiter } = open([failures()]);
    const holds = [await limiter.reserve("ada"), await limiter.reserve("ada")];
    expect((await limiter.reserve("ada")).allowed).toBe(false);
    expect(await holds[0]!.release()).toMatchObject({ returned: { login: 1 } });
    await holds[1]!.settle();
    expect((await limiter.reserve("ada")).allowed).toBe(true);
    expect((await limiter.reserve("ada")).allowed).toBe(false);
  });

  test("asks no client to wait longer than a second, in any call", async () => {
    const { limiter, world } = open([failures(), fixedWindow({ limit: 100, window: "1h" })]);
    await limiter.reserve("ada");
    const last = await limiter.reserve("ada");
    expect(last.policies[0]).toMatchObject({ remaining: 0, retryAfterMs: 1_000 });
    const denied = await limiter.reserve("ada");
    expect(denied).toMatchObject({ allowed: false, retryAfterMs: 1_000, reason: "limited" });
    expect(denied.headers().get("Retry-After")).toBe("1");
    expect((await limiter.peek("ada")).retryAfterMs).toBe(1_000);
    expect((await limiter.charge("ada", 1)).policies[0]).toMatchObject({ retryAfterMs: 1_000 });
    world.failure = NO_ANSWER;
    const local = await limiter.reserve("ada");
    expect(local).toMatchObject({
      allowed: false,
      reason: "store-unavailable",
      retryAfterMs: 1_000,
    });
  });

  test("shortens no wait of another policy that may give back", async () => {
    const other = fixedWindow({ name: "jobs", limit: 1, window: "1h", refundable: true });
    const { limiter } = open([failures(), other]);
    await limiter.reserve("ada");
    const { policies } = await limiter.reserve("ada");
    // Both count the same clients, and are decided as one group.
    expect(policies[1]).toMatchObject({ name: "jobs", allowed: false });
    expect(policies[1]!.retryAfterMs).toBeGreaterThan(1_000);
  });

  test("keeps a wait that is shorter, and the time until all is back", async () => {
    const bucket = tokenBucket({ limit: 2, refill: 4, per: "1s", counts: "failures" });
    const { limiter } = open([bucket]);
    await limiter.reserve("ada", { cost: 2 });
    const { policies } = await limiter.reserve("ada");
    expect(policies[0]).toMatchObject({ retryAfterMs: 250, resetAfterMs: 500 });
    const slow = open([failures()]).limiter;
    await slow.reserve("ada", { cost: 2 });
    expect((await slow.reserve("ada")).policies[0]).toMatchObject({ resetAfterMs: 600_000 });
  });

  test("leaves the waits of other policies alone", async () => {
    const { limiter } = open([failures(), fixedWindow({ name: "all", limit: 1, window: "366d" })]);
    const { policies } = await limiter.reserve("ada");
    expect(policies[1]!.retryAfterMs).toBeGreaterThan(1_000);
  });

  test("is denied by the store each time", async () => {
    const { limiter, asked } = open([failures({ limit: 1 })]);
    for (let i = 0; i < 4; i++) await limiter.reserve("ada");
    expect(asked).toHaveLength(4);
  });

  test("takes nothing for a request that costs nothing", async () => {
    const { limiter, asked } = open([failures({ limit: 1 })]);
    expect(await limiter.limit("ada", { cost: 0 })).toMatchObject({ allowed: true });
    expect(asked.at(-1)!.call).toBe("peek");
    expect((await limiter.peek("ada")).policies[0]).toMatchObject({
      remaining: 1,
      resetAfterMs: 0,
    });
  });

  test("can be tried in shadow: it gives back, and reports the denials that it would have made", async () => {
    const { limiter } = open([failures({ mode: "shadow", limit: 1 })]);
    const hold = await limiter.reserve("ada");
    expect((await limiter.reserve("ada")).shadow[0]).toMatchObject({ allowed: false });
    expect(await hold.release()).toMatchObject({ returned: { login: 1 } });
    expect((await limiter.reserve("ada")).shadow[0]).toMatchObject({ allowed: true });
    const costly = await limiter.reserve("ada", { cost: 2 });
    expect(costly.shadow[0]).toMatchObject({ allowed: false, retryAfterMs: Infinity });
  });
});

test.each<[what: string, options: object, path: string, value: string, code: FaultCode]>([
  [
    "a lease of its own",
    { policies: [failures({ lease: "100ms" })] },
    "policies[0].counts",
    '"failures"',
    "conflict",
  ],
  [
    "the limiter's lease",
    { policies: [failures()], lease: "100ms" },
    "policies[0].counts",
    '"failures"',
    "conflict",
  ],
  [
    "a word that nothing comes back",
    { policies: [failures({ refundable: false })] },
    "policies[0].refundable",
    "false",
    "conflict",
  ],
  [
    "a store that cannot give back",
    { policies: [failures()], store: { decide: () => ({}), reset: () => {} } },
    "policies[0].counts",
    '"failures"',
    "unsupported",
  ],
  [
    "statuses, which a limiter does not see",
    { policies: [failures({ when: { status: [401] } })] },
    "policies[0].counts",
    expect.any(String),
    "unsupported",
  ],
])("a policy that counts failures does not go with %s", (_, options, path, value, code) => {
  const make = () => createLimiter({ store: memoryStore(), ...options } as CreateLimiterOptions);
  expect(make).toThrow(
    expect.objectContaining({
      faults: [expect.objectContaining({ path, code, value })],
    }) as Error,
  );
});
