import { describe, expect, test } from "vitest";

import { gatewayTo, generous, startOrigin } from "../../support/gateway/gateway.ts";

/** Header fields as a client sends them, also those that it must not. */
async function askWith(fields: readonly (readonly [string, string])[], path = "/x") {
  const origin = await startOrigin();
  const answer = await gatewayTo(origin.url, generous)(path, { headers: [...fields] as never });
  expect(answer.status).toBe(200);
  return { ...origin.seen[0]!, origin };
}

describe("a request on its way to the origin", () => {
  test("loses the fields meant for one hop, and those that its Connection names", async () => {
    const { fields } = await askWith([
      ["Connection", "close, X-Hop , x-other"],
      ["X-Hop", "1"],
      ["X-Other", "1"],
      ["X-Kept", "1"],
      ["Keep-Alive", "timeout=5"],
      ["Proxy-Connection", "keep-alive"],
      ["Proxy-Authorization", "Basic x"],
      ["TE", "trailers"],
      ["Trailer", "X-Sum"],
      ["Upgrade", "h2c"],
      ["Expect", "100-continue"],
    ]);
    expect(Object.keys(fields).sort().join(" ")).toBe(
      "cf-connecting-ip connection host x-forwarded-for x-forwarded-host x-forwarded-proto x-kept",
    );
    // That of the hop to the origin.
    expect(fields["connection"]).toEqual(["keep-alive"]);
  });

  test("keeps the front's fields about the client, also where Connection names them", async () => {
    const told = { "cf-connecting-ip": "192.0.2.9", "cf-ray": "1", via: "1.1 front" };
    const { fields } = await askWith([
      ...Object.entries(told),
      ["Connection", [...Object.keys(told), "X-Forwarded-For"].join(", ").toUpperCase()],
    ]);
    expect(fields).toMatchObject(
      Object.fromEntries(Object.entries(told).map(([name, value]) => [name, [value]])),
    );
    expect(fields["x-forwarded-for"]).toEqual(["192.0.2.9"]);
  });

  test.each(["a b, x-hop", "x-hop,,", ";, x-hop", "\u00e9, x-hop", "x-hop, ()"])(
    "passes with a Connection that is malformed: %j",
    async (connection) => {
      const fields = [
        ["Connection", connection],
        ["X-Hop", "1"],
      ] as const;
      expect((await askWith(fields)).fields["x-hop"]).toBeUndefined();
    },
  );

  test("is told the origin's own name, and the gateway's beside it", async () => {
    const { fields, origin } = await askWith([["Host", "gateway.example"]]);
    expect(fields["host"]).toEqual([new URL(origin.url).host]);
    expect(fields["x-forwarded-host"]).toEqual(["gateway.example"]);
    expect(fields["x-forwarded-proto"]).toEqual(["http"]);
  });

  test("goes below the origin's path", async () => {
    const origin = await startOrigin();
    for (const base of ["/base", "/base/", "/base//", "/"]) {
      await gatewayTo(origin.url + base, generous)("/x?");
    }
    const targets = origin.seen.map(({ target }) => target);
    expect(targets).toEqual(["/base/x?", "/base/x?", "/base/x?", "/x?"]);
  });
});
