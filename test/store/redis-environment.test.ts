import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { ConfigurationError, createLimiter, fixedWindow } from "../../src/index.ts";

const policies = [fixedWindow({ name: "p", limit: 5, window: "1d" })];
const NAMES = [
  "UPSTASH_REDIS_REST_URL",
  "UPSTASH_REDIS_REST_TOKEN",
  "KV_REST_API_URL",
  "KV_REST_API_TOKEN",
];

/** Address and token of each command. */
let sent: [url: string, token: unknown][];

beforeEach(() => {
  // No time passes, however long a machine stalls.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  sent = [];
  vi.stubGlobal("fetch", async (url: string, { headers }: RequestInit) => {
    sent.push([url, (headers as Record<string, string>)["authorization"]]);
    return Response.json({ result: [1.8e15, 1, 4, 0, 0] });
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** The four variables, in the order of their names. */
function environment(...values: (string | undefined)[]) {
  NAMES.forEach((name, i) => vi.stubEnv(name, values[i]));
}

function faultsOf(): readonly (readonly [string, string])[] {
  try {
    createLimiter({ policies });
  } catch (error) {
    return (error as ConfigurationError).faults.map(({ path, value }) => [path, value]);
  }
  return [];
}

const [up, kv] = ["https://up.example", "https://kv.example"];

describe("the Redis of an environment", () => {
  test.for<[(string | undefined)[], string, string]>([
    [[up, "u"], up, "Bearer u"],
    [[up, "u", kv, "k"], up, "Bearer u"],
    [[undefined, undefined, kv, "k"], kv, "Bearer k"],
    [["", "", kv, "k"], kv, "Bearer k"],
    [["", "u", kv, "k"], kv, "Bearer k"],
    [[up, "u", "", ""], up, "Bearer u"],
  ])("%j is at %s", async ([values, url, token]) => {
    environment(...values);
    await createLimiter({ policies }).limit("ada");
    expect(sent).toEqual([[url, token]]);
  });

  const [URL, TOKEN, , KV_TOKEN] = NAMES as [string, string, string, string];
  test.for<[(string | undefined)[], Record<string, string>]>([
    [[], { [URL]: "missing", [TOKEN]: "missing" }],
    [["", "", "", ""], { [URL]: '""', [TOKEN]: '""' }],
    [[up, ""], { [TOKEN]: '""' }],
    [[up, undefined, kv, "k"], { [TOKEN]: "missing" }],
    [[undefined, "u", kv, ""], { [KV_TOKEN]: '""' }],
  ])("%j lacks something", ([values, faults]) => {
    environment(...values);
    expect(faultsOf()).toEqual(Object.entries(faults));
  });
});

describe("a limiter", () => {
  test.for([
    [undefined, 1_000, 250],
    ["1ms", 4, 1],
    ["80ms", 320, 80],
    ["400ms", 1_000, 400],
    ["1m", 60_000, 60_000],
  ] as const)(
    "with a timeout of %s gives the first command %d ms, and later ones %d ms",
    async (times) => {
      const [timeout, ...given] = times;
      environment(up, "u");
      const signals = vi.spyOn(AbortSignal, "timeout");
      const limiter = createLimiter({ policies, ...(timeout && { timeout }) });
      for (let request = 0; request < 2; request++) await limiter.limit("ada");
      expect(signals.mock.calls).toEqual(given.map((ms) => [ms]));
    },
  );

  test("with a Redis of its own looks at no variable", async () => {
    environment(up, "u", kv, "k");
    await createLimiter({ policies, redis: { url: "https://own.example", token: "o" } }).limit("a");
    expect(sent).toEqual([["https://own.example", "Bearer o"]]);
  });
});
