import { afterEach, describe, expect, test, vi } from "vitest";

import { durableObjectStore, TidegateObject } from "../../src/durable-object.ts";
import { ConfigurationError, createLimiter, fixedWindow } from "../../src/index.ts";

afterEach(() => vi.restoreAllMocks());

/** A namespace whose objects fail as this says; test/workerd has real ones. */
function failing(fail: () => Promise<never>) {
  const asked: string[] = [];
  const stub = { decide: fail, refund: fail, extend: fail, reset: fail };
  return {
    asked,
    namespace: {
      idFromName: (name: string) => ({ name }),
      get(id: object) {
        asked.push((id as { name: string }).name);
        return stub;
      },
    },
  };
}

const policies = [fixedWindow({ limit: 10, window: "1d", onFailure: "closed" })];

describe("an object that fails", () => {
  test("is asked once, never again for the same decision, and its long reason is cut", async () => {
    const { asked, namespace } = failing(async () => {
      throw Object.assign(new Error(`overloaded ${"x".repeat(1_000)}`), { retryable: true });
    });
    const errors: unknown[] = [];
    const store = durableObjectStore(namespace, { onStoreError: (error) => errors.push(error) });
    const limiter = createLimiter({ store, prefix: "p", policies });
    const decision = await limiter.limit("client");
    expect(decision).toMatchObject({
      allowed: false,
      reason: "store-unavailable",
      error: { code: "ERR_STORE_UNREACHABLE" },
    });
    expect(decision.error!.message).toMatch(/^The Durable Object failed: overloaded x{189}$/);
    expect(asked).toEqual(["p:{client}"]);
    for (let i = 0; i < 20; i++) await limiter.limit("client");
    // Suspended: the others wait for nothing.
    expect(asked.length).toBeLessThan(10);
    expect(errors).toHaveLength(1);
    expect(await store.inspect!()).toMatchObject({ store: "durable-object", breaker: "open" });
  });

  test("a silent one is left at the timeout", async () => {
    vi.useFakeTimers();
    const { namespace } = failing(() => new Promise(() => {}));
    const store = durableObjectStore(namespace, { timeout: "20ms", onStoreError: () => {} });
    const asked = createLimiter({ store, policies }).limit("client");
    await vi.advanceTimersByTimeAsync(80);
    expect((await asked).error).toMatchObject({
      code: "ERR_STORE_TIMEOUT",
      message: "The Durable Object did not answer within 80 ms.",
    });
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});

test("every fault of its options is reported at once", () => {
  const open = () =>
    durableObjectStore(undefined as never, { timeout: "2m", onStoreError: 1, shards: 2 } as never);
  expect(open).toThrow(ConfigurationError);
  try {
    open();
  } catch (error) {
    expect((error as ConfigurationError).faults.map(({ path }) => path).toSorted()).toEqual([
      "namespace",
      "onStoreError",
      "shards",
      "timeout",
    ]);
  }
});

test("the class can be imported where there are no Durable Objects", () => {
  expect(new TidegateObject({ storage: {} } as never, {})).toHaveProperty("decide");
});
