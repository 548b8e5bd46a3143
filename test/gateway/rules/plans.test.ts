import { afterEach, describe, expect, test, vi } from "vitest";

import { type Ask, gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";

afterEach(() => void vi.restoreAllMocks());

const PLANS = { gold: { rides: { limit: 100 } }, silver: { rides: { limit: 50, window: "60d" } } };

const rides = { path: "/rides", plan: "header:x-plan", policies: [quota("rides", 10)] };

async function limits(ask: Ask, path: string, plans: readonly (string | undefined)[]) {
  const answers: unknown[] = [];
  for (const plan of plans) {
    const { headers } = await ask(path, { headers: plan === undefined ? {} : { "x-plan": plan } });
    answers.push(headers.get("RateLimit-Policy"));
  }
  return answers;
}

const gold = '"rides";q=100;w=2592000';
const none = '"rides";q=10;w=2592000';

describe("a rule with a plan", () => {
  test.each([
    ["as a table", PLANS],
    ["as JSON", JSON.stringify(PLANS)],
  ])("decides by the numbers of the plan that the header names, PLANS %s", async (_as, PLANS) => {
    const ask = gatewayTo((await startOrigin()).url, [rides], { PLANS });
    expect(await limits(ask, "/rides", ["gold", undefined, "silver", " gold "])).toEqual([
      gold,
      none,
      '"rides";q=50;w=5184000',
      gold,
    ]);
  });

  test("takes a plan that does not exist for none, and says so in the log once", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const ask = gatewayTo((await startOrigin()).url, [rides], { PLANS });
    const unknown = ["platinum", "", "GOLD", "__proto__", "toString", "gold, gold"];
    expect(await limits(ask, "/rides", unknown)).toEqual(unknown.map(() => none));
    expect(warn.mock.calls).toEqual([
      [
        "tidegate: a request has another plan than gold, silver: it is decided as one without a plan.",
      ],
    ]);
  });

  test("names policies of other rules, too: one plan decides all rules of a request", async () => {
    const ask = gatewayTo(
      (await startOrigin()).url,
      [{ path: "/*", policies: [quota("all", 1_000)] }, rides],
      { PLANS: { gold: { all: { limit: 2_000 }, rides: { limit: 100 } } } },
    );
    const all = (limit: number) => `"all";q=${limit};w=2592000`;
    expect(await limits(ask, "/rides", ["gold", undefined])).toEqual([
      `${all(2_000)}, ${gold}`,
      `${all(1_000)}, ${none}`,
    ]);
    // A request that only the rule without a plan covers has none.
    expect(await limits(ask, "/other", ["gold"])).toEqual([all(1_000)]);
  });

  test("is decided by the first of several rules whose header names one", async () => {
    const ask = gatewayTo(
      (await startOrigin()).url,
      [rides, { path: "/*", plan: "header:x-tier", policies: [quota("all", 1_000)] }],
      { PLANS },
    );
    const limitOf = async (headers: Record<string, string>) =>
      (await ask("/rides", { headers })).headers.get("RateLimit-Policy")!.split(",")[0];
    expect(await limitOf({ "x-plan": "gold", "x-tier": "silver" })).toBe(gold);
    expect(await limitOf({ "x-tier": "gold" })).toBe(gold);
  });
});
