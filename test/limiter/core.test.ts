import { build } from "esbuild";
import { describe, expect, inject, test } from "vitest";

import { EVERY_REQUEST_FEATURE, type RequestFeatures } from "../../src/adapter/every-feature.ts";
import * as core from "../../src/core.ts";
import {
  calendar,
  concurrency,
  ConfigurationError,
  dimensions,
  type Features,
  fixedWindow,
  holds,
  limiterWith,
  listeners,
  lists,
  memoryStore,
  type Policy,
  shareDenials,
  slidingWindowLog,
  sources,
  tokenBucket,
} from "../../src/core.ts";
import { rateLimitWith } from "../../src/hono.ts";
import { createLimiter, type CreateLimiterOptions, type Fault } from "../../src/index.ts";
import { rateLimitWith as vercelRateLimitWith } from "../../src/vercel.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";

const plain = fixedWindow({ name: "plain", limit: 10, window: "1d" });
const client = { evalsha: async () => [], eval: async () => [] };
const notes = shareDenials({ get: async () => undefined, put: () => {} });

function faultsOf(make: () => unknown): readonly Fault[] {
  try {
    make();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
  return [];
}

const window = (more: object) => fixedWindow({ limit: 400, window: "1s", ...more });

/** A feature and options that need it, with the path of the fault. */
const NEEDS: readonly (readonly [
  feature: keyof Features,
  path: string,
  options: Partial<CreateLimiterOptions>,
])[] = [
  ["leases", "lease", { lease: "100ms", policies: [{ ...plain, limit: 1_000, window: "1s" }] }],
  ["leases", "policies[0].lease", { policies: [window({ lease: "50ms" })] }],
  ["optimistic", "policies[0].optimistic", { policies: [window({ optimistic: true })] }],
  ["lists", "lists", { lists: { deny: [{ identity: "user:666" }] } }],
  ["plans", "plans", { plans: { gold: { plain: { limit: 20 } } } }],
  ["listeners", "onDecision", { onDecision: () => {} }],
  ["notices", "onNotice", { onNotice: () => {} }],
  ["sharedDenials", "sharedDenials", { sharedDenials: notes }],
  ["replica", "replica", { replica: { url: "http://127.0.0.1:9", token: "t" } }],
  ["replica", "replicaTimeout", { replicaTimeout: "20ms" }],
  ["clients", "redis", { redis: client }],
  ["clients", "replica", { replica: client }],
  ["dimensions", "policies[0].by", { policies: [window({ by: "ip" })] }],
  ["shards", "policies[0].shards", { policies: [window({ shards: 4 })] }],
  ["roles", "policies[0].mode", { policies: [window({ mode: "shadow" })] }],
  ["roles", "policies[1].counts", { policies: [plain, window({ counts: "denials" })] }],
  ["holds", "policies[0].refundable", { policies: [window({ refundable: true })] }],
  ["holds", "policies[0].counts", { policies: [window({ counts: "failures" })] }],
  ["holds", "policies[0].algorithm", { policies: [concurrency({ limit: 1, ttl: "1s" })] }],
];

const optionsOf = (options: Partial<CreateLimiterOptions>): CreateLimiterOptions => ({
  policies: [plain],
  ...(options.sharedDenials || options.replica || options.redis
    ? { redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") } }
    : { store: memoryStore() }),
  ...options,
});

test("every feature is exported by its name", () => {
  expect(core).toMatchObject(EVERY_REQUEST_FEATURE);
});

describe("an option whose feature is missing", () => {
  test.each(NEEDS)("%s: %s is a fault that names the import", (feature, path, options) => {
    const { [feature]: _missing, ...others } = EVERY_REQUEST_FEATURE;
    const make = limiterWith(others as Features);
    expect(faultsOf(() => make(optionsOf(options)))).toEqual([
      expect.objectContaining({
        path,
        code: "unsupported",
        remedy: expect.stringContaining(`Import { ${feature} } from "tidegate/core"`),
      }),
    ]);
    expect(faultsOf(() => limiterWith(EVERY_REQUEST_FEATURE)(optionsOf(options)))).toEqual([]);
  });

  test("calendar: a window of it is a fault that names the import, beside that of its form", () => {
    const faults = faultsOf(() =>
      limiterWith({})(optionsOf({ policies: [window({ window: "month" })] })),
    );
    expect(faults.map(({ path, remedy }) => [path, /\bcalendar\b/.test(remedy)])).toEqual([
      ["policies[0].window", true],
      ["policies[0].window", false],
    ]);
    const make = () =>
      limiterWith({ calendar })(optionsOf({ policies: [window({ window: "month" })] }));
    expect(faultsOf(make)).toEqual([]);
  });

  test("is told with all others, and without what an object holds", () => {
    const policies = [
      fixedWindow({ name: "p", limit: 0, window: "1d", shards: 4, mode: "soft" }),
      fixedWindow({ name: "q", limit: 1, window: "1d", counts: "failures", by: "ip" }),
    ];
    const faults = faultsOf(() =>
      limiterWith({})({
        policies,
        store: memoryStore(),
        lists: { deny: [{ identity: "user:secret" }] },
        lease: "1s",
      }),
    );
    expect(faults.map(({ path }) => path).toSorted()).toEqual([
      "lease",
      "lists",
      "policies[0].limit",
      "policies[0].mode",
      "policies[0].shards",
      "policies[1].by",
      "policies[1].counts",
      "policies[1].counts",
    ]);
    expect(JSON.stringify(faults)).not.toContain("secret");
  });

  test("is no fault with the value that needs no feature", () => {
    const policies = [
      fixedWindow({
        limit: 1,
        window: "1d",
        mode: "enforce",
        counts: "requests",
        refundable: false,
      }),
    ];
    expect(faultsOf(() => limiterWith({})(optionsOf({ policies })))).toEqual([]);
  });

  test("of requests is a fault of a middleware", () => {
    const options = { ...optionsOf({}), clientIp: "vercel", plan: "header:x-plan" } as const;
    const when = fixedWindow({ limit: 1, window: "1d", when: { status: [401] } });
    const given = { ...options, lists: { deny: [{ asn: 1 }] }, policies: [when] };
    const paths = ["lists", "plan", "policies[0].when"];
    for (const make of [() => rateLimitWith({})(given), () => vercelRateLimitWith({})(given)]) {
      expect(
        faultsOf(make)
          .map(({ path }) => path)
          .toSorted(),
      ).toEqual(paths);
    }
    const sound = { ...optionsOf({}), clientIp: "vercel" } as const;
    expect(faultsOf(() => rateLimitWith({})(sound))).toEqual([]);
    expect(faultsOf(() => vercelRateLimitWith({})(sound))).toEqual([]);
  });

  test("of a partition by more than the address is a fault of a middleware", () => {
    const faultsWith = (features: RequestFeatures, partition: unknown) => {
      const given = { ...optionsOf({}), clientIp: "vercel", partition } as never;
      const [ofHono, ofVercel] = [rateLimitWith, vercelRateLimitWith].map((make) =>
        faultsOf(() => (make(features) as (options: never) => unknown)(given)),
      );
      expect(ofHono).toEqual(ofVercel);
      return ofHono;
    };
    for (const partition of [["header:x-api-key", "ip"], ["ip", "subnet"], [["ip"]], []]) {
      expect(faultsWith({}, partition)).toEqual([
        {
          path: "partition",
          code: "unsupported",
          value: JSON.stringify(partition),
          remedy: expect.stringContaining('Import { sources } from "tidegate/core"'),
        },
      ]);
    }
    for (const partition of [["ip"], "*", () => "ada"]) {
      expect(faultsWith({}, partition)).toEqual([]);
    }
    expect(faultsWith({ sources }, ["header:x-api-key", "ip"])).toEqual([]);
  });

  test.each([undefined, null, 7, "x", { policies: 7 }, { policies: [null, 7] }])(
    "beside options that are none: %j",
    (given) => {
      expect(faultsOf(() => limiterWith({})(given as never)).length).toBeGreaterThan(0);
    },
  );
});

test("without holds nothing reserves, for TypeScript too", () => {
  const without = limiterWith({ lists, listeners })(
    optionsOf({ lists: { deny: [{ identity: "user:666" }] }, onDecision: () => {} }),
  );
  expect(without).not.toHaveProperty("reserve");
  // @ts-expect-error: it has none.
  expect(without.reserve).toBeUndefined();
  expect(limiterWith({ holds })(optionsOf({})).reserve).toBeTypeOf("function");
});

test("without plans a client's plan is an error, and is not ignored", async () => {
  const limiter = limiterWith({ holds })(optionsOf({}));
  for (const decide of [
    () => limiter.limit("ada", { plan: "gold" }),
    () => limiter.peek("ada", { plan: "gold" }),
    () => limiter.charge("ada", 1, { plan: "gold" }),
    () => limiter.reserve("ada", { plan: "gold" }),
  ]) {
    await expect(decide()).rejects.toMatchObject({ code: "ERR_PLAN" });
  }
  expect((await limiter.limit("ada", { plan: undefined })).policies[0]!.remaining).toBe(9);
});

const redis = () => ({ url: inject("redisRestUrl"), token: inject("redisRestToken") });

const SETS_WITHOUT_DIMENSIONS: readonly (readonly Policy[])[] = [
  [plain],
  [
    tokenBucket({ name: "b", limit: 7, refill: 1, per: "1d" }),
    slidingWindowLog({ name: "l", limit: 9, window: "1d" }),
  ],
];
const SETS = [
  ...SETS_WITHOUT_DIMENSIONS,
  [
    fixedWindow({ name: "ip", by: "ip", limit: 4, window: "1d" }),
    fixedWindow({ name: "key", by: "key", limit: 6, window: "1d" }),
  ],
];

describe.each([
  ["no feature", {}, SETS_WITHOUT_DIMENSIONS],
  ["dimensions alone", { dimensions }, SETS],
  ["every feature", EVERY_REQUEST_FEATURE, SETS],
])("a limiter with %s", (_name, features, sets) => {
  test("decides in Redis as createLimiter() does", async () => {
    for (let seed = 1; seed <= runs(6); seed++) {
      const next = random(seed);
      const policies = sets[seed % sets.length]!;
      const made = [createLimiter, limiterWith(features)].map((make) =>
        make({ policies, redis: redis(), prefix: crypto.randomUUID(), denialCache: false }),
      );
      const isDimensioned = policies[0]!.by !== undefined;
      for (let i = 0; i < 25; i++) {
        const name = `c${Math.floor(next() * 2)}`;
        const identity = isDimensioned ? { ip: `192.0.2.${name.slice(1)}`, key: "k" } : name;
        const cost = Math.floor(next() * 4);
        const kind = (["limit", "limit", "peek", "charge", "reset"] as const)[
          Math.floor(next() * 5)
        ]!;
        const answers = await Promise.all(
          made.map(async (limiter) => {
            if (kind === "reset") return limiter.reset(identity);
            const decision = await (kind === "charge"
              ? limiter.charge(identity, cost)
              : limiter[kind](identity, { cost }));
            const { allowed, reason, status } = decision;
            const rows = decision.policies.map(({ name, remaining }) => [name, remaining]);
            return { allowed, reason, status, rows };
          }),
        );
        expect(answers[1], `seed ${seed}, step ${i}, ${kind}`).toEqual(answers[0]);
      }
    }
  });
});

/** Bundles a worker of this source. Of src, `files` are in the bundle. */
async function bundle(source: string) {
  const { metafile, outputFiles } = await build({
    stdin: { contents: source, resolveDir: ".", loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    metafile: true,
    external: ["node:*"],
    logLevel: "silent",
  });
  const inputs = Object.entries(Object.values(metafile.outputs)[0]!.inputs);
  const files = inputs.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
  return { files, text: outputFiles[0]!.text };
}

/** A worker that limits with these features. */
const workerWith = (features: string) => `
  import { ${["fixedWindow", "limiterWith", features].filter(Boolean).join(", ")} } from "./src/core.ts";
  export const limiter = limiterWith({ ${features} })({ policies: [fixedWindow({ limit: 1, window: "1s" })] });`;

/** Where the code of each feature is. */
const FOLDERS: Readonly<Record<keyof Features, string>> = {
  calendar: "src/algorithms/calendar/",
  clients: "src/store/redis/client-adapter.ts",
  cluster: "src/store/cluster/",
  dimensions: "src/features/dimensions/",
  holds: "src/features/holds/",
  leases: "src/features/leases/",
  lists: "src/features/lists/",
  notices: "src/features/notices/",
  optimistic: "src/features/optimistic/",
  plans: "src/features/plans/",
  replica: "src/features/replica/",
  roles: "src/features/roles/",
  shards: "src/features/shards/",
  sharedDenials: "src/features/shared-denials/",
  listeners: "src/features/listeners/",
};
const NAMES = Object.keys(FOLDERS) as (keyof Features)[];

function foldersIn(files: readonly string[]): readonly string[] {
  return NAMES.filter((name) => files.some((file) => file.startsWith(FOLDERS[name])));
}

describe("a bundle", () => {
  test.each(NAMES)("with %s has that feature, and no other", async (name) => {
    const { files } = await bundle(workerWith(name));
    expect(foldersIn(files)).toEqual([name]);
  });

  test("without features has none, no adapter, and one algorithm", async () => {
    const { files } = await bundle(workerWith(""));
    expect(foldersIn(files)).toEqual([]);
    const unwanted =
      /^src\/(adapter|gateway|lists|llm)\/|inspect|(log|counter|segmented-window|concurrency)\.ts$/;
    expect(files.filter((file) => unwanted.test(file))).toEqual(["src/runtime/log.ts"]);
    expect(files).not.toContain("src/partition/ip-address.ts");
    expect(files).toContain("src/limiter/limiter-with.ts");
  });

  test("of createLimiter() has the algorithms that it uses, though it can give back units of all", async () => {
    const { text } = await bundle(`
      import { createLimiter, fixedWindow } from "./src/index.ts";
      export const limiter = createLimiter({ policies: [fixedWindow({ limit: 1, window: "1s" })] });`);
    const defined = [...text.matchAll(/name: "([a-z-]+)",\s+(?:\/\/.*\s+)?code: /g)];
    expect(defined.map(([, name]) => name)).toEqual(["calendar-window", "fixed-window", "notice"]);
    expect(text).toContain("'segmented-window'");
  });

  test.each(["./src/hono.ts", "./src/vercel.ts"])(
    "of %s has the features given to it",
    async (entry) => {
      const { files } = await bundle(`
      import { fixedWindow, plans } from "./src/core.ts";
      import { rateLimitWith } from "${entry}";
      export const limit = rateLimitWith({ plans })({ policies: [fixedWindow({ limit: 1, window: "1s" })] });`);
      expect(foldersIn(files)).toEqual(["dimensions", "plans"]);
      expect(files).not.toContain("src/partition/compile-sources.ts");
    },
  );
});
