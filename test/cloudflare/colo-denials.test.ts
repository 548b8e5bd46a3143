import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { coloDenials } from "../../src/cloudflare.ts";
import { createDenialCache } from "../../src/decide/denial-cache.ts";
import { createRedisClocks } from "../../src/decide/redis-clocks.ts";
import type { Sharing } from "../../src/features/shared-denials.ts";
import { compile } from "../support/compile-policy.ts";

/** The promises for which the platform was asked to keep a request alive. */
const kept = vi.hoisted(() => [] as Promise<unknown>[]);
vi.mock("../../src/runtime/bindings.ts", () => ({
  bindings: {},
  waitUntil: (promise: Promise<unknown>) => void kept.push(promise),
}));

const put = vi.fn<(address: string, response: Response) => Promise<void>>();
const match = vi.fn<(address: string) => Promise<Response | undefined>>();

beforeEach(() => {
  // No time passes, however long a machine stalls.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  kept.length = 0;
  put.mockReset().mockResolvedValue(undefined);
  match.mockReset().mockResolvedValue(undefined);
  vi.stubGlobal("caches", { default: { put, match } });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const SHOWN = 1_500_000;
const ADDRESS = /^https:\/\/tidegate\.invalid\/[A-Za-z0-9_-]{43}$/;

function isolate(name?: string, prefix = "tg"): Sharing {
  const policies = compile([fixedWindow({ name: "p", limit: 1, window: "1d" })]);
  const clocks = createRedisClocks();
  clocks.note("ada", SHOWN, 1_000, 1_001);
  const settings = { prefix, policies, now: () => 1_010 };
  return coloDenials(name).share(settings, clocks, createDenialCache(10, 1));
}

/** A denial of this many seconds. */
const denial = (seconds: number) => ({
  nowUs: SHOWN,
  rows: [
    { allowed: false, remaining: 0, retryAfterUs: seconds * 1e6, resetAfterUs: seconds * 1e6 },
  ],
});

/** Where an isolate publishes a denial. */
async function addressOf(sharing: Sharing, partition = "ada"): Promise<string> {
  sharing.publish(partition, [1], denial(1));
  await kept.at(-1);
  return put.mock.lastCall![0];
}

describe("a published denial", () => {
  test("is put for as many seconds as it lasts, as text", async () => {
    isolate().publish("ada", [3], denial(1.5));
    await vi.waitFor(() => expect(put).toHaveBeenCalledTimes(1));
    const [address, response] = put.mock.calls[0]!;
    expect(address).toMatch(ADDRESS);
    expect([...response.headers]).toEqual([
      ["cache-control", "max-age=2"],
      ["content-type", "text/plain;charset=UTF-8"],
    ]);
    expect(await response.text()).toBe(`${SHOWN},3,0,1500000,1500000`);
  });

  test("keeps its request alive until it is there, and no longer", async () => {
    let arrive!: () => void;
    put.mockReturnValue(new Promise((resolve) => (arrive = resolve)));
    isolate().publish("ada", [1], denial(1));
    expect(kept).toHaveLength(1);
    let over = false;
    void kept[0]!.then(() => (over = true));
    await vi.waitFor(() => expect(put).toHaveBeenCalledTimes(1));
    expect(over).toBe(false);
    arrive();
    await kept[0];
    expect(over).toBe(true);
  });

  test.for<[string, () => unknown]>([
    ["fails", () => put.mockRejectedValue(new Error("full"))],
    ["is not there", () => vi.stubGlobal("caches", {})],
    ["is no cache at all", () => vi.stubGlobal("caches", undefined)],
  ])("is no error where the cache %s", async ([, breakCache]) => {
    breakCache();
    isolate().publish("ada", [1], denial(1));
    expect(kept).toHaveLength(1);
    await expect(kept[0]).resolves.toBeUndefined();
  });
});

describe("an address", () => {
  test("is the same in every isolate, and reveals nothing of the client", async () => {
    const [one, other] = [await addressOf(isolate()), await addressOf(isolate())];
    expect(one).toBe(other);
    expect(one).not.toContain("ada");
    expect(await addressOf(isolate("tidegate"))).toBe(one);
  });

  test("is another one under another name, prefix or partition", async () => {
    const addresses = [
      await addressOf(isolate()),
      await addressOf(isolate("other")),
      await addressOf(isolate("tidegate", "other")),
      await addressOf(isolate(), "bob"),
    ];
    expect(new Set(addresses).size).toBe(4);
  });

  test("is another one also where a name ends as a prefix begins", async () => {
    expect(await addressOf(isolate("a", "bc"))).not.toBe(await addressOf(isolate("ab", "c")));
  });

  test("that finds no entry is a claim's, for a second", async () => {
    expect(await isolate().read("ada", [1])).toBeUndefined();
    await kept.at(-1);
    const [where, response] = put.mock.lastCall!;
    expect([where, response.headers.get("cache-control")]).toEqual([
      match.mock.calls[0]![0],
      "max-age=1",
    ]);
    expect(await response.text()).toMatch(/^\d{7}$/);
  });
});
