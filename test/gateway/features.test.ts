import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";
import { Redis } from "ioredis";
import { describe, expect, inject, onTestFinished, test } from "vitest";

import { bundle } from "../../bench/support/bundle.ts";
import { admin } from "../../src/admin.ts";
import * as core from "../../src/core.ts";
import { gatewayWith, live, quota as ownQuota } from "../../src/gateway.ts";
import { EVERY_GATEWAY_FEATURE, type GatewayFeatures } from "../../src/gateway/every-feature.ts";
import { type Fault } from "../../src/index.ts";
import { liveKeys } from "../../src/live/keys.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";

const ADMIN_TOKEN = "mV3kT9xQ2bLr7WcYp0NsHd5Zf8Gj1Ua6Re4Ki0Xo2c=";

function variables(rule: object, more: object = {}) {
  const rules = [{ path: "/api/*", partition: ["header:x-user-id"], ...rule }];
  return {
    ORIGIN: "https://origin.example",
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES: rules,
    ...more,
  };
}

function onRedis(origin: string, prefix: string, more: object = {}) {
  return {
    ...variables({ policies: [quota("api", 3)] }, more),
    ORIGIN: origin,
    STORE: "redis",
    UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
    UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
    PREFIX: prefix,
    TIMEOUT: "10s",
  };
}

function ask(gateway: ReturnType<ReturnType<typeof gatewayWith>>, path: string, user = "42") {
  const headers = { "x-user-id": user, "cf-connecting-ip": "192.0.2.1" };
  return gateway.fetch(new Request(`http://gateway.example${path}`, { headers }));
}

async function statuses(gateway: ReturnType<ReturnType<typeof gatewayWith>>, count: number) {
  const answers: number[] = [];
  for (let i = 0; i < count; i++) answers.push((await ask(gateway, "/api/rides")).status);
  return answers;
}

function without(name: keyof GatewayFeatures): GatewayFeatures {
  const { [name]: _missing, ...others } = EVERY_GATEWAY_FEATURE;
  return others;
}

describe("a variable whose feature is missing is one fault that names the import", () => {
  const window = { algorithm: "fixed-window", name: "p", limit: 400, window: "1s" };
  const day = { ...window, window: "1d" };
  test.each<[keyof GatewayFeatures, path: string, object, from?: string]>([
    ["leases", "RULES[0].policies[0].lease", { policies: [{ ...window, lease: "50ms" }] }],
    ["shards", "RULES[0].policies[0].shards", { policies: [{ ...window, shards: 4 }] }],
    ["roles", "RULES[0].policies[0].mode", { policies: [{ ...window, mode: "shadow" }] }],
    ["holds", "RULES[0].policies[0].counts", { policies: [{ ...window, counts: "failures" }] }],
    ["optimistic", "RULES[0].policies[0].optimistic", { policies: [{ ...day, optimistic: true }] }],
    ["notices", "RULES[0].policies[0].notify", { policies: [{ ...day, notify: 0.8 }] }],
    [
      "calendar",
      "RULES[0].policies[0].window",
      { policies: [{ ...window, window: "month", timeZone: "UTC" }] },
    ],
    ["quota", "RULES[0].quota", { policies: [window], quota: true }, "tidegate/gateway"],
  ])("%s: %s", (feature, path, rule, from = "tidegate/core") => {
    // A calendar's zone is an option of its own, with a fault of its own.
    const first = faultsOf(without(feature), variables(rule)).find((each) => each.path === path);
    expect(first).toMatchObject({
      code: "unsupported",
      remedy: expect.stringContaining(
        `Import { ${feature} } from "${from}", and give it to gatewayWith:`,
      ),
    });
    expect(faultsOf(EVERY_GATEWAY_FEATURE, variables(rule))).toEqual([]);
  });

  test("CORS, LISTS, PLANS, a rule's plan, LIVE_REFRESH and the admin API, all at once", () => {
    const given = variables(
      { policies: [window], plan: "header:x-plan" },
      {
        LISTS: { deny: [{ identity: "x-user-id:666" }] },
        PLANS: { gold: { p: { limit: 800 } } },
        LIVE_REFRESH: "5s",
        CORS: { origin: "*" },
      },
    );
    const faults = faultsOf({}, given, { admin });
    expect(faults.map(({ path, code }) => [path, code]).sort()).toEqual([
      ["CORS", "unsupported"],
      ["LISTS", "unsupported"],
      ["LIVE_REFRESH", "unsupported"],
      ["PLANS", "unsupported"],
      ["RULES[0].plan", "unsupported"],
      ["admin", "unsupported"],
    ]);
  });
});

function faultsOf(
  features: GatewayFeatures,
  given: object,
  platform: object = {},
): readonly Fault[] {
  try {
    gatewayWith(features)(given as never, platform);
  } catch (error) {
    return (error as { faults: readonly Fault[] }).faults;
  }
  return [];
}

describe("on a real Redis", () => {
  test("without features a gateway limits, passes on, is healthy, and reads no live rules", async () => {
    const origin = await startOrigin();
    const prefix = crypto.randomUUID();
    await publish(prefix, { deny: ["x-user-id:42"] });
    const gateway = gatewayWith({})(onRedis(origin.url, prefix, { ADMIN_TOKEN }) as never);
    expect(await statuses(gateway, 5)).toEqual([200, 200, 200, 429, 429]);
    expect(origin.seen).toHaveLength(3);
    expect((await ask(gateway, "/elsewhere")).status).toBe(200);
    for (const [path, status] of [
      ["health", 200],
      ["live", 200],
      ["quota", 404],
      ["api/v1/rules", 404],
      ["", 404],
    ] as const) {
      expect([path, (await ask(gateway, `/_tidegate/${path}`)).status]).toEqual([path, status]);
    }
  });

  test("with live rules it enforces the published ones: a limit, a block and an override", async () => {
    const origin = await startOrigin();
    const prefix = crypto.randomUUID();
    await publish(prefix, {
      deny: ["x-user-id:666"],
      overrides: [{ identity: "x-user-id:7", policies: { api: { limit: 1 } } }],
    });
    const gateway = gatewayWith({ live })(onRedis(origin.url, prefix, { ADMIN_TOKEN }) as never);
    expect(await statuses(gateway, 3)).toEqual([200, 200, 429]);
    expect((await ask(gateway, "/api/rides", "666")).status).toBe(403);
    const some = [await ask(gateway, "/api/rides", "7"), await ask(gateway, "/api/rides", "7")];
    expect(some.map(({ status }) => status)).toEqual([200, 429]);
  });

  test("with holds only failures count, and with quota a client reads its remaining units", async () => {
    const origin = await startOrigin();
    const logins = { ...quota("logins", 2), counts: "failures", when: { status: [401] } };
    const given = {
      ...onRedis(origin.url, crypto.randomUUID()),
      RULES: [
        {
          path: "/api/*",
          partition: ["header:x-user-id"],
          quota: true,
          policies: [quota("api", 3), logins],
        },
      ],
    };
    const gateway = gatewayWith({ holds: core.holds, roles: core.roles, quota: ownQuota })(
      given as never,
    );
    for (let i = 0; i < 2; i++) {
      const response = await ask(gateway, "/api/rides");
      expect([response.status, await response.text()]).toEqual([200, "origin"]);
    }
    // A response settles its request in the background.
    const left = async () => (await ask(gateway, "/_tidegate/quota")).json();
    await expect.poll(left, { interval: 300 }).toMatchObject({
      policies: [
        { name: "api", remaining: 1 },
        { name: "logins", remaining: 2 },
      ],
    });
  });
});

/** Publishes a limit of 2 with blocked identities and overrides, as the admin API writes it. */
async function publish(
  prefix: string,
  { deny, overrides = [] }: { deny: readonly string[]; overrides?: readonly object[] },
): Promise<void> {
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const document = JSON.stringify({
    rules: [{ path: "/api/*", partition: ["header:x-user-id"], policies: [quota("api", 2)] }],
    lists: { deny: deny.map((identity) => ({ identity })) },
    overrides,
  });
  await redis.hset(liveKeys(prefix).state, { revision: 1, version: 1, publishedAt: 1, document });
}

describe("a bundle", () => {
  const OPTIONAL =
    /^src\/(?:features\/(?!dimensions|listeners)|store\/cluster|algorithms\/calendar\/|live|admin|gateway\/(?:live|administration|quota))/;

  /** Names and numbers that a check or a sentence says; code is longer. */
  const CONSTANTS_BYTES = 50;

  /** The optional folders of src with code in the bundle of a worker. */
  async function optionalIn(source: string): Promise<readonly string[]> {
    const { metafile } = await build({
      stdin: { contents: source, resolveDir: ".", loader: "ts" },
      bundle: true,
      // Unminified leftovers of a file say nothing about a deployment.
      minify: true,
      write: false,
      format: "esm",
      metafile: true,
      logLevel: "silent",
    });
    const [output] = Object.values(metafile.outputs);
    const files = Object.entries(output!.inputs).flatMap(([file, { bytesInOutput }]) =>
      bytesInOutput >= CONSTANTS_BYTES && OPTIONAL.test(file) ? [file] : [],
    );
    return [...new Set(files.map((file) => file.replace(/[^/]*$/, "")))];
  }

  test("has the sizes that the guide says", async () => {
    const sizes =
      /this gateway has (\d+) KB,\s+with `live` (\d+), and `createGateway\(\)` without the admin API (\d+)\./;
    const said = sizes.exec(readFileSync("docs/gateway.md", "utf8"))!.slice(1).map(Number);
    const workers = [
      `import { gatewayWith } from "./src/gateway.ts"; export default gatewayWith({})(process.env);`,
      `import { gatewayWith, live } from "./src/gateway.ts"; export default gatewayWith({ live })(process.env);`,
      `import { createGateway } from "./src/gateway.ts"; export default createGateway(process.env);`,
    ];
    for (const [i, worker] of workers.entries()) {
      const kilobytes = gzipSync(await bundle(worker), { level: 9 }).length / 1000;
      expect(Math.abs(kilobytes - said[i]!), `${kilobytes}`).toBeLessThan(0.03 * said[i]!);
    }
  });

  test.each([
    [["workerd", "worker", "browser"], false],
    [["edge-light", "worker", "browser"], false],
    [["bun", "node"], false],
    [["deno", "node"], false],
    [[], false],
    [["node"], true],
  ])("for %j has Node's own way to the origin: %s", async (conditions, expected) => {
    const { outputFiles } = await build({
      stdin: { contents: `export * from "./src/gateway.ts";`, resolveDir: ".", loader: "ts" },
      bundle: true,
      write: false,
      format: "esm",
      conditions,
      external: ["cloudflare:*", "node:*"],
      logLevel: "silent",
    });
    expect(outputFiles[0]!.text.includes('"node:http"')).toBe(expected);
  });

  test("of a gateway without features has none of them", async () => {
    const folders = await optionalIn(`
      import { gatewayWith } from "./src/gateway.ts";
      export default gatewayWith({})(process.env);`);
    expect(folders).toEqual([]);
  });

  test("of a gateway with live rules has these, lists and plans", async () => {
    const folders = await optionalIn(`
      import { gatewayWith, live } from "./src/gateway.ts";
      export default gatewayWith({ live })(process.env);`);
    expect(folders.toSorted()).toEqual([
      "src/features/lists/",
      "src/features/plans/",
      "src/gateway/live/",
      "src/live/",
    ]);
  });
});
