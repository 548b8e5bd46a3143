import { Redis } from "@upstash/redis";
import { describe, expect, test, vi } from "vitest";

import {
  ConfigurationError,
  createLimiter,
  type Fault,
  type LimiterOptions,
  memoryStore,
  shareDenials,
} from "../support/limiter/plain.ts";
import { FAULTY_DIMENSIONS } from "./faulty-dimensions.ts";
import { FAULTY_OPTIONS } from "./faulty-options.ts";
import { FAULTY_POLICIES } from "./faulty-policies.ts";
import { policy, withBucket } from "./faulty.ts";

const noStore = { store: undefined, policies: [policy] };

function faultsIn(make: () => unknown): readonly Fault[] {
  try {
    make();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  throw new Error("no fault was found");
}

const faultsOf = (options: unknown) =>
  faultsIn(() => createLimiter({ store: memoryStore(), ...(options as LimiterOptions) }));

test.for([...FAULTY_POLICIES, ...FAULTY_DIMENSIONS, ...FAULTY_OPTIONS])(
  "%s for %j",
  ([fault, options, code, says = ""]) => {
    const faults = faultsOf(options);
    expect(faults).toHaveLength(1);
    const { path, value, remedy } = faults[0]!;
    expect(`${path}: ${value}`.startsWith(fault), `${path}: ${value}`).toBe(true);
    expect(faults[0]!.code).toBe(code);
    expect(remedy).toContain(says);
  },
);

test("all faults come at once, one line each, with path, value and remedy", () => {
  const make = () =>
    createLimiter({
      redis: { url: "", token: "" },
      prefix: "}",
      policies: [
        { ...policy, limit: 0, window: "x" } as never,
        withBucket({ refill: 0 }).policies[0] as never,
      ],
    });
  expect(make).toThrow(ConfigurationError);
  expect(make).toThrow(
    [
      "Tidegate's configuration has 6 faults:",
      "  policies[0].limit: 0: Give a whole number from 1 to 9007199254740991.",
      '  policies[0].window: "x": Give a time with its unit (ms, s, m, h or d) from "1ms" to "366d", such as "10s".',
      "  policies[1].refill: 0: Give a whole number from 1 to 1000000000.",
      '  prefix: "}": Use 1 to 64 ASCII letters, digits, dots, underscores, dashes or colons.',
      '  redis.url: "": Give the HTTP address of the Redis REST API, "https://...", without user, password, query, spaces or quotes. For redis://, give fromIoredis(...) or fromNodeRedis(...) of tidegate/node, or run @tidegate/redis-rest.',
      '  redis.token: "": Give the token of the Redis REST API, without "Bearer", quotes, spaces or line breaks.',
    ].join("\n"),
  );
});

test("a policy of no builder is checked for the common options", () => {
  const wrong = {
    algorithm: "leaky",
    limit: 0,
    window: "1y",
    per: 3,
    refill: -1,
    segments: 61,
    name: "a b",
    onFailure: "shut",
    burst: 7,
  };
  expect(faultsOf({ policies: [wrong] }).map(({ path }) => path)).toEqual([
    "policies[0].algorithm",
    "policies[0].limit",
    "policies[0].onFailure",
    "policies[0].name",
  ]);
});

test("options that are undefined are as if they were not there", () => {
  expect(() =>
    createLimiter({ store: memoryStore(), policies: [policy], onfailure: undefined } as never),
  ).not.toThrow();
});

describe("options of memoryStore()", () => {
  test.for([
    [{ maxEntires: 5 }, "maxEntires", "5", "unknown-option"],
    [{ maxEntries: 0 }, "maxEntries", "0", "range"],
    [{ maxEntries: Number.NaN }, "maxEntries", "NaN", "range"],
    [{ maxEntries: "10" }, "maxEntries", '"10"', "range"],
    [{ now: 0 }, "now", "0", "shape"],
    [null, "options", "null", "shape"],
    ["10", "options", '"10"', "shape"],
  ] as const)("%j have a fault", ([options, path, value, code]) => {
    expect(faultsIn(() => memoryStore(options as never))).toMatchObject([{ path, value, code }]);
  });
});

describe("a place of shareDenials()", () => {
  const get = async () => undefined;
  test.for([
    [{ get }, ["put: missing"]],
    [{ get, put: 1 }, ["put: 1"]],
    [{}, ["get: missing", "put: missing"]],
    [undefined, ["get: missing", "put: missing"]],
    ["kv", ["get: missing", "put: missing"]],
  ] as const)("%j has a fault", ([place, shown]) => {
    const faults = faultsIn(() => shareDenials(place as never));
    expect(faults.map(({ path, value }) => `${path}: ${value}`)).toEqual(shown);
    expect(faults[0]!.code).toBe("shape");
  });
});

describe("options of a decision", () => {
  const limiter = createLimiter({ store: memoryStore(), policies: [policy] });

  test.for([
    [{ costs: 5 }, "The option is `cost` or `plan`, not costs."],
    [{ cost: 1, tokens: 5 }, "The option is `cost` or `plan`, not tokens."],
    [5, "The options must be an object, { cost }, not 5."],
  ] as const)("%j are refused", async ([options, message]) => {
    for (const call of [limiter.limit, limiter.peek]) {
      const refused = (async () => call("ada", options as never))();
      await expect(refused).rejects.toMatchObject({ code: "ERR_COST", message });
    }
  });

  test("may be null, or say nothing", async () => {
    for (const options of [undefined, null, {}, { cost: undefined }, { costs: undefined }]) {
      expect((await limiter.peek("ada", options as never)).allowed).toBe(true);
    }
  });
});

describe("a client that the caller built", () => {
  test.for([
    [0, 0],
    [1, 1],
    [5, 1],
  ] as const)("that tries %i times more is warned of %i times", ([attempts, times]) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const redis = {
      evalsha: async () => [],
      eval: async () => [],
      client: { retry: { attempts } },
    };
    createLimiter({ redis, policies: [policy] });
    expect(warn.mock.calls).toEqual(
      Array.from({ length: times }, () => [
        expect.stringMatching(/retries: a request whose reply is lost is charged again/),
      ]),
    );
    warn.mockRestore();
  });

  test.for([
    ["an address", { url: "", token: "t" }, [["redis.url", '""']]],
    ["a token", { url: "https://redis.example", token: undefined }, [["redis.token", '""']]],
    [
      "both, and with a token that has a line break",
      { url: "http://redis.example?x", token: "secret\n" },
      [
        ["redis.url", '"http://(hidden)"'],
        ["redis.token", '"(hidden)"'],
      ],
    ],
  ] as const)("of @upstash/redis without %s is a fault when it is made", ([, given, faults]) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const redis = new Redis(given as { url: string; token: string });
    warn.mockRestore();
    const found = faultsOf({ ...noStore, redis, policies: [policy] });
    expect(found.map(({ path, value }) => [path, value])).toEqual(faults);
  });

  test("is taken as it is otherwise", () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    createLimiter({ redis: { evalsha: async () => [], eval: async () => [] }, policies: [policy] });
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});
