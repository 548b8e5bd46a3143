import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { durableObjectRegion, type ObjectNamespace } from "../../src/durable-object.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { ConfigurationError } from "../../src/options/errors.ts";

/* A gateway of several regions in workerd: each request is decided by the store that is nearest to its client. */

const HOME = env["UPSTASH_REDIS_REST_URL"] as string;
const NEARBY = env["NEARBY"] as ObjectNamespace;
const FRANKFURT = { latitude: "50.11", longitude: "8.68" };
const CHICAGO = { latitude: "41.88", longitude: "-87.63" };
/** Its nearest store is across the antimeridian. */
const FIJI = { latitude: "-18.14", longitude: "178.44" };

/** The same server under two names, so that its calls can be told apart: the region of `localhost`, and home. */
const FRA = HOME.replace("127.0.0.1", "localhost");

let calls: string[] = [];
beforeEach(() => {
  calls = [];
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (...asked: Parameters<typeof fetch>) => {
    calls.push(String(asked[0]).startsWith(FRA) ? "fra" : "home");
    return fetch(...asked);
  });
});
afterEach(() => void vi.unstubAllGlobals());

/** Notes the names of the objects that are called. */
const objects: ObjectNamespace = {
  idFromName(name) {
    calls.push(name.slice(0, name.indexOf(" ")));
    return NEARBY.idFromName(name);
  },
  get: (id, options) => NEARBY.get(id, options),
};

const STORES = {
  fra: { url: FRA, at: [50.1, 8.7] },
  virginia: { locationHint: "enam" },
  sydney: { locationHint: "oc" },
};

const variables = (more: object = {}) => ({
  ...env,
  ORIGIN: HOME,
  TIMEOUT: "10s",
  PREFIX: crypto.randomUUID(),
  NEARBY: objects,
  REGION_STORES: STORES,
  REGION_REDIS_REST_TOKEN: env["UPSTASH_REDIS_REST_TOKEN"],
  RULES: [
    {
      path: "/*",
      partition: "*",
      policies: [{ algorithm: "fixed-window", name: "all", limit: 100, window: "30d" }],
    },
  ],
  ...more,
});

function gatewayWith(more: object = {}) {
  const gateway = createGateway(variables(more), { durableObjectRegion });
  return async (cf: object | undefined, path = "/a") => {
    calls = [];
    const request = new Request(`https://gateway.example${path}`, { cf } as RequestInit);
    const response = await gateway.fetch(request);
    // The origin is called at last.
    return { response, nearby: calls.find((name) => name !== "home") };
  };
}

test("each request is decided by the store nearest to its client, else by that of the one before", async () => {
  const ask = gatewayWith();
  const nearbyOf = async (cf: object | undefined) => (await ask(cf)).nearby;
  expect(await nearbyOf(FRANKFURT)).toBe("fra");
  expect(await nearbyOf(CHICAGO)).toBe("enam");
  expect(await nearbyOf({ country: "T1" })).toBe("enam");
  expect(await nearbyOf(undefined)).toBe("enam");
  expect(await nearbyOf(FIJI)).toBe("oc");
  expect(await nearbyOf(FRANKFURT)).toBe("fra");
});

test("REGION_NAME decides where the environment knows better", async () => {
  const ask = gatewayWith({ REGION_NAME: "virginia" });
  expect((await ask(FRANKFURT)).nearby).toBe("enam");
});

test("health tells of each store, whichever is nearest to the one who asks", async () => {
  const healthOf = async (more: object) => {
    const { response } = await gatewayWith(more)(FRANKFURT, "/_tidegate/health");
    return { status: response.status, body: await response.json() };
  };
  const others = [{ name: "virginia" }, { name: "sydney" }];
  expect(await healthOf({})).toMatchObject({
    status: 200,
    body: { status: "ok", regions: [{ name: "fra" }, ...others] },
  });
  const gone = { ...STORES, gru: { url: "http://localhost:1", at: [-23.5, -46.6] } };
  const code = expect.stringMatching(/^ERR_STORE_/);
  expect(await healthOf({ REGION_STORES: gone })).toMatchObject({
    status: 200,
    body: {
      status: "degraded",
      code: "region-gone",
      detail: expect.stringMatching(
        /^The region gru gives no answer \(ERR_STORE_\w+\): home decides its requests\.$/,
      ),
      regions: [{ name: "fra" }, ...others, { name: "gru", code }],
    },
  });
});

test("clients everywhere together get no more than the limit", async () => {
  const ask = gatewayWith();
  const places = [FRANKFURT, CHICAGO, FIJI];
  const statuses: number[] = [];
  for (let i = 0; i < 240; i++) statuses.push((await ask(places[i % 3])).response.status);
  const passed = statuses.filter((status) => status !== 429).length;
  expect(passed).toBeLessThanOrEqual(100);
  expect(passed).toBeGreaterThan(30);
});

test("a store without a place, objects without a binding and an unknown name are faults", () => {
  const faultsOf = (more: object) => {
    try {
      createGateway(variables(more), { durableObjectRegion });
      return [];
    } catch (error) {
      return (error as ConfigurationError).faults.map(({ path }) => path);
    }
  };
  const placeless = { ...STORES, gru: { url: FRA } };
  expect(faultsOf({ REGION_STORES: placeless })).toEqual(["REGION_STORES.gru.at"]);
  expect(faultsOf({ REGION_STORES: placeless, REGION_NAME: "gru" })).toEqual([]);
  expect(faultsOf({ REGION_STORES: { gru: { url: FRA } } })).toEqual([]);
  expect(faultsOf({ NEARBY: undefined })).toEqual(["NEARBY"]);
  expect(faultsOf({ REGION_NAME: "gru" })).toEqual(["REGION_NAME"]);
});
