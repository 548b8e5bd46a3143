import { afterEach, describe, expect, test, vi } from "vitest";

import { gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";
import { useFetched } from "../fetched.ts";

// As at the edge, where a test can answer in the place of the origin.
vi.mock(
  "../../../src/gateway/proxy/node/forward.ts",
  () => import("../../../src/gateway/proxy/forward.ts"),
);

afterEach(() => void vi.restoreAllMocks());

const soft = (name: string, limit: number) => ({ ...quota(name, limit), mode: "soft" });
const shadow = (name: string, limit: number) => ({ ...quota(name, limit), mode: "shadow" });

describe("a soft policy", () => {
  /** The fields that the origin sees of a few requests. */
  async function over(rules: unknown, requests: number, headers: Record<string, string> = {}) {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, rules);
    const statuses: number[] = [];
    for (let i = 0; i < requests; i++) statuses.push((await ask("/a", { headers })).status);
    return { statuses, told: origin.seen.map(({ fields }) => fields["tidegate-over"]) };
  }

  test("lets every request pass, and tells the origin once it is over", async () => {
    expect(await over([{ path: "/a", policies: [soft("fair", 2)] }], 4)).toEqual({
      statuses: [200, 200, 200, 200],
      told: [undefined, undefined, ['"fair"'], ['"fair"']],
    });
  });

  test("is told beside others, of all rules", async () => {
    const rules = [
      { path: "/a", policies: [soft("one", 1), quota("hard", 3), soft("two", 2)] },
      { path: "/*", policies: [soft("three", 1)] },
    ];
    expect(await over(rules, 4)).toEqual({
      statuses: [200, 200, 200, 429],
      told: [undefined, ['"one", "three"'], ['"one", "two", "three"']],
    });
  });

  test.each([
    ["under its limit", [{ path: "/a", policies: [soft("fair", 9)] }], [undefined]],
    ["over its limit", [{ path: "/a", policies: [soft("fair", 1)], cost: 2 }], [['"fair"']]],
    ["without one", [{ path: "/a", policies: [quota("hard", 9)] }], [undefined]],
    ["in a request that no rule covers", [{ path: "/b", policies: [soft("x", 9)] }], [undefined]],
  ])("is never what a client says: %s", async (_what, rules, told) => {
    const made = { "Tidegate-Over": '"made", "up"' };
    expect((await over(rules, 1, made)).told).toEqual(told);
  });

  test("is not taken from a client on the list allow", async () => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, [{ path: "/a", policies: [soft("fair", 1)] }], {
      LISTS: { allow: [{ cidr: "192.0.2.0/24" }] },
    });
    await ask("/a", { headers: { "tidegate-over": '"made up"' } });
    expect(origin.seen.map(({ fields }) => fields["tidegate-over"])).toEqual([undefined]);
  });
});

describe("a shadow policy", () => {
  const { gateway, origin, redis } = useFetched();

  /** Everything of several responses, and of the requests that reached the origin. */
  async function everything(rules: unknown, variables: object = {}) {
    origin.mockClear();
    const ask = gateway({ STORE: "memory", RULES: rules, ...variables });
    const responses: unknown[] = [];
    for (let i = 0; i < 6; i++) {
      const answer = await ask("/a", { headers: { "cf-connecting-ip": "192.0.2.1" } });
      responses.push([answer.status, [...answer.headers], await answer.text()]);
    }
    const passed = origin.mock.calls.map(([{ url, headers }]) => [url, [...headers]]);
    return { responses, passed };
  }

  test.each([
    ["under its limit", shadow("new", 9)],
    ["over its limit", shadow("new", 1)],
    ["of another partition", { ...shadow("new", 1), partition: "*" }],
    ["before the cost that is above it", { ...shadow("new", 1), partition: ["header:x"] }],
  ])("changes no byte of a response or a request: %s", async (_what, policy) => {
    const rule = { path: "/a", policies: [quota("hard", 7)], cost: 2 };
    const without = await everything([rule]);
    expect(without.responses.map((answer) => (answer as [number])[0])).toEqual([
      200, 200, 200, 429, 429, 429,
    ]);
    expect(await everything([{ ...rule, policies: [policy, quota("hard", 7)] }])).toEqual(without);
    expect(await everything([{ ...rule, policies: [quota("hard", 7), policy] }])).toEqual(without);
    expect(await everything([rule, { path: "/*", policies: [policy] }])).toEqual(without);
  });

  test("alone in its rule is as no rule at all", async () => {
    const none = await everything([{ path: "/b", policies: [quota("b", 1)] }]);
    expect(await everything([{ path: "/*", policies: [shadow("new", 2)] }])).toEqual(none);
  });

  test.each(["open", "closed", "local"])(
    "alone in its rule is as no rule at all, while Redis is gone: %s",
    async (ON_FAILURE) => {
      vi.spyOn(console, "warn").mockReturnValue();
      redis.mockRejectedValue(new TypeError("fetch failed"));
      const gone = { STORE: "redis", ON_FAILURE };
      const none = await everything([{ path: "/b", policies: [quota("b", 1)] }], gone);
      expect(await everything([{ path: "/*", policies: [shadow("new", 2)] }], gone)).toEqual(none);
    },
  );
});
