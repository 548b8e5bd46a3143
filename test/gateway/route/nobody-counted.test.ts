import { expect, test } from "vitest";

import { gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";

test.each(["skip", "reject"])(
  "a rule with only shadow policies that %s passes a request that lacks all identities",
  async (onMissing) => {
    const { url } = await startOrigin();
    const tried = { ...quota("tried", 5), mode: "shadow", onMissing };
    const ask = gatewayTo(url, [
      { path: "/*", partition: ["header:x-user-id"], policies: [tried], quota: true },
    ]);
    const passed = await ask("/");
    expect([passed.status, await passed.text()]).toEqual([200, "origin"]);
    expect((await ask("/", { headers: { "x-user-id": "1" } })).status).toBe(200);
    expect(await (await ask("/_tidegate/quota")).json()).toEqual({ policies: [] });
  },
);

test("beside such a rule, the others still limit", async () => {
  const { url } = await startOrigin();
  const tried = { ...quota("tried", 5), mode: "shadow", onMissing: "reject" };
  const ask = gatewayTo(url, [
    { path: "/*", partition: ["header:x-user-id"], policies: [tried] },
    { path: "/*", partition: ["ip"], policies: [quota("address", 1)] },
  ]);
  expect([(await ask("/")).status, (await ask("/")).status]).toEqual([200, 429]);
});

test.each(["valueOf", "constructor", "toString", "hasOwnProperty"])(
  "a policy named %s costs 1 beside costs by name",
  async (name) => {
    const { url } = await startOrigin();
    const policies = [quota("other", 9), quota(name, 5)];
    const ask = gatewayTo(url, [{ path: "/*", cost: { other: 3 }, policies }]);
    const { status, headers } = await ask("/");
    expect([status, headers.get("ratelimit")]).toEqual([
      200,
      expect.stringMatching(`"other";r=6;.*"${name}";r=4;`),
    ]);
  },
);
