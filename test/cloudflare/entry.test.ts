import { afterEach, expect, test, vi } from "vitest";

// As at the edge, where a test can answer in the place of the origin.
vi.mock(
  "../../src/gateway/proxy/node/forward.ts",
  () => import("../../src/gateway/proxy/forward.ts"),
);

const env = vi.hoisted(
  () =>
    ({
      ORIGIN: "https://origin.example",
      CLIENT_IP: "cloudflare",
      SHARED_DENIALS: "colo",
      UPSTASH_REDIS_REST_URL: "https://redis.example",
      UPSTASH_REDIS_REST_TOKEN: "secret",
      RULES: [
        {
          path: "/limited",
          policies: [{ algorithm: "fixed-window", name: "p", limit: 10, window: "1d" }],
        },
      ],
    }) as Record<string, unknown>,
);
const tracing = vi.hoisted(() => ({ getActiveSpan: () => undefined }));
vi.mock("cloudflare:workers", () => ({ env, tracing, waitUntil: () => {} }));

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test("the entry on Workers is a gateway of its bindings, which may share denials", async () => {
  const { default: gateway } = await import("../../src/worker.ts");
  vi.stubGlobal("fetch", async (asked: Request) => new Response(asked.url));
  const answer = await gateway.fetch(new Request("https://shop.example/x?y"));
  expect(await answer.text()).toBe("https://origin.example/x?y");
});

test("it has the admin API, metrics, and the cache of the data centre for live rules", async () => {
  const match = vi.fn(async (_key: unknown) => undefined);
  vi.stubGlobal("caches", { default: { match, put: async () => {} } });
  vi.stubGlobal("fetch", async () => Response.json({ result: null }));
  Object.assign(env, { ADMIN_TOKEN: "pS0qYh6mLk2VxZr9Tn4Jd8Wc", METRICS: "on" });
  const { default: gateway } = await import("../../src/worker.ts");
  const answer = await gateway.request("/_tidegate/api/v1/metrics");
  expect(answer.status).toBe(401);
  // For the state that is shared now, and for the newest that it knows.
  expect(match).toHaveBeenCalledTimes(2);
  expect(JSON.stringify(match.mock.calls)).not.toContain("secret");
});

test("a fault in the bindings stops it at start-up", async () => {
  env["RULES"] = [];
  await expect(import("../../src/worker.ts")).rejects.toMatchObject({
    code: "ERR_CONFIGURATION",
    faults: [{ path: "RULES" }],
  });
});
