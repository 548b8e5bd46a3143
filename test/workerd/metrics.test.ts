import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";

import { admin, metrics } from "../../src/admin.ts";
import { durableObjectStore, type ObjectNamespace } from "../../src/durable-object.ts";
import { createGateway } from "../../src/gateway.ts";
import { objectMetrics } from "../../src/store/object-metrics.ts";
import { metricsContract } from "../metrics/metrics-contract.ts";

const namespace = env["LIMITS"] as ObjectNamespace;
const TOKEN = "pS0qYh6mLk2VxZr9Tn4Jd8WcGf1Bu7Ea3Ri5Oo0Hs=";

describe("metrics in a Durable Object", () => {
  metricsContract(() => objectMetrics(namespace, crypto.randomUUID()));
});

/** An isolate of a gateway that counts in Durable Objects. */
function isolateOf(prefix: string) {
  const variables = {
    ORIGIN: "https://origin.example",
    STORE: "durable-object",
    LIMITS: namespace,
    TIMEOUT: "10s",
    PREFIX: prefix,
    CLIENT_IP: "cloudflare",
    ADMIN_TOKEN: TOKEN,
    ADMIN_HOST: "any",
    METRICS_FLUSH: "10m",
    RULES: [
      {
        path: "/api/*",
        partition: ["header:x-user-id"],
        policies: [{ algorithm: "fixed-window", name: "api", limit: 2, window: "1d" }],
      },
    ],
  };
  const gateway = createGateway(variables, { admin, durableObjectStore, metrics });
  const fetched = async (path: string, init: RequestInit) =>
    gateway.fetch(new Request(`https://gateway.example${path}`, init));
  return {
    ask: async (user: string) =>
      (await fetched("/api/x", { headers: { "x-user-id": user } })).status,

    async api(path: string, body?: object) {
      const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
      const sent = body && { method: "POST", body: JSON.stringify(body) };
      const answer = await fetched(`/_tidegate/api/v1${path}`, { headers, ...sent });
      expect(answer.status).toBe(200);
      return answer;
    },
  };
}

test("a gateway that counts in Durable Objects has /metrics, stats, top and a client's history there, of all isolates", async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response("the origin"));
  const prefix = crypto.randomUUID();
  const [one, other] = [isolateOf(prefix), isolateOf(prefix)];
  const statuses = [];
  for (const isolate of [one, other, one, one, other]) statuses.push(await isolate.ask("ada"));
  expect(statuses).toEqual([200, 200, 429, 429, 429]);
  // Each writes its own before it answers.
  await other.api("/metrics");
  // Its type is no text that workerd knows.
  const text = new TextDecoder().decode(await (await one.api("/metrics")).arrayBuffer());
  const value = (name: string) =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1),
    );
  const evaluations = 'tidegate_policy_evaluations_total{policy="api",mode="enforce"';
  expect(value(`${evaluations},result="allowed"}`)).toBe(2);
  expect(value(`${evaluations},result="denied"}`)).toBe(3);
  expect(value("tidegate_redis_commands_total")).toBe(0);
  expect(value("tidegate_store_duration_seconds_count")).toBeGreaterThan(2);
  const stats = (await (await one.api("/stats?step=hour")).json()) as {
    readonly requests: readonly { readonly outcome: string; readonly counts: readonly number[] }[];
  };
  const denied = stats.requests.filter(({ outcome }) => outcome === "denied");
  expect(denied.flatMap(({ counts }) => counts).reduce((sum, each) => sum + each, 0)).toBe(3);
  const top = (await (await one.api("/top?kind=denied")).json()) as {
    readonly partitions: readonly { readonly partition: string }[];
  };
  expect(top.partitions).toMatchObject([{ policy: "api", count: 3 }]);
  const asked = { request: { path: "/api/x", headers: { "x-user-id": "ada" }, ip: "192.0.2.1" } };
  const history = (await (await one.api("/partitions/history", asked)).json()) as {
    readonly partitions: readonly { readonly denied: readonly number[] }[];
  };
  expect(history.partitions[0]!.denied.reduce((sum, each) => sum + each, 0)).toBe(3);
  const explained = await (await one.api("/explain", asked.request)).json();
  expect(explained).toMatchObject({ rules: [{ policies: [{ deniedLastHour: 3 }] }] });
});
