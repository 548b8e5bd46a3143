import { expect, test } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { quotaOf, startLiveGateway } from "../support/live/live-gateway.ts";
import { startFleet } from "./fleet.ts";

test("no header names the numbers of another client's override as a plan", async () => {
  const gateway = await startLiveGateway();
  await gateway.write({
    rules: [
      {
        path: "/api/*",
        partition: ["header:x-user-id"],
        plan: "header:x-plan",
        policies: [quota("api", 5)],
      },
    ],
    plans: { gold: { api: { limit: 9 } } },
    overrides: [{ identity: "x-user-id:vip", policies: { api: { limit: 1_000 } } }],
  });
  expect(await quotaOf(gateway, "vip")).toBe("1000, 999 left");
  const limitOf = async (plan: string) => {
    const headers = { "x-user-id": crypto.randomUUID(), "x-plan": plan };
    return (await gateway.ask("/api/x", headers)).headers.get("x-ratelimit-limit");
  };
  expect(await limitOf("gold")).toBe("9");
  expect(await limitOf("override.0")).toBe("5");
});

test("overrides are no plans: a rule that reads a plan needs one", async () => {
  const { administered } = await startLiveGateway();
  const faults = administered.checkDocument({
    rules: [{ path: "/*", plan: "header:x-plan", policies: [quota("api", 5)] }],
    overrides: [{ identity: "x-user-id:1", policies: { api: { limit: 1 } } }],
  });
  expect(faults.map(({ path }) => path)).toEqual(["rules[0].plan"]);
});

test("a client of a leased policy is brought down to a bucket without room for the lease, and the others keep the lease", async () => {
  const { isolate } = await startFleet();
  const bucket = { algorithm: "token-bucket", name: "api", limit: 1_000, refill: 1_000, per: "1s" };
  const rule = { path: "/api/*", partition: ["header:x-user-id"] };
  const RULES = [{ ...rule, policies: [{ ...bucket, lease: "100ms" }] }];
  const old = isolate({ RULES });
  expect(await old.ask("ada")).toBe("200 900");
  const policies = { api: { limit: 1, refill: 1, per: "1h" } };
  const put = await old.api("PUT", "/overrides", { identity: "x-user-id:mal", policies });
  expect(put.status).toBe(200);
  const fresh = isolate({ RULES });
  const answers = [];
  for (const each of [old, fresh, old]) answers.push(await each.ask("mal"));
  expect(answers).toEqual(["200 1", "429 1", "429 1"]);
  expect(await fresh.ask("ada")).toBe("200 900");
});
