import { expect, test } from "vitest";

import { quota } from "../support/gateway/gateway.ts";
import { quotaOf, startLiveGateway } from "../support/live/live-gateway.ts";

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
