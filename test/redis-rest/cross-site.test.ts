import { request as httpRequest } from "node:http";

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import type { RedisServer } from "../../scripts/support/redis-server.ts";
import {
  type Answer,
  ask,
  error,
  result,
  token,
  useBridge,
} from "../support/redis-rest/harness.ts";

let redis: RedisServer;
let bridge: Bridge;
let open: Bridge;

useBridge((started) => ({ redis, bridge } = started), { allow: ["FLUSHALL"] });
beforeAll(async () => {
  open = await startBridge({ redis: redis.url, port: 0, token, allowedHosts: ["Redis-Rest"] });
});
beforeEach(() => ask(bridge, ["FLUSHALL"]));
afterAll(() => open.close());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** A request as a browser can send it; fetch would not send a Host or an Origin of one's own. */
function send({ url }: Bridge, { method = "POST", path = "/", headers, body }: Sent) {
  return new Promise<Answer & { headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const { host, port } = new URL(url);
    const hostname = host.replace(/:\d+$/, "").replaceAll(/[[\]]/g, "");
    const fields = { authorization: `Bearer ${token}`, ...headers };
    const request = httpRequest(
      { hostname, port, method, path, headers: fields },
      async (response) => {
        const text = Buffer.concat(await response.toArray()).toString();
        const { statusCode: status, headers } = response;
        resolve({ status: status!, body: text === "" ? undefined : JSON.parse(text), headers });
      },
    );
    request.on("error", reject).end(body);
  });
}

const SET = '["SET","k","v"]';
const keys = () => ask(bridge, ["DBSIZE"]);
const ours = () => new URL(bridge.url).origin;

describe("a request that another site has a browser send is refused, its token right or not", () => {
  test.each([
    ["from another site", { origin: "https://evil.example" }],
    ["from another port of this machine", { origin: "http://127.0.0.1:1" }],
    ["from a page without origin", { origin: "null" }],
    ["from a page of another scheme", { host: "localhost:8079", origin: "https://localhost:8079" }],
    ["that says it is cross-site", { "sec-fetch-site": "cross-site" }],
    ["that says it is of the same site only", { "sec-fetch-site": "same-site" }],
    ["to a name that another site has pointed here", { host: "evil.example" }],
    ["to a name that begins as an address does", { host: "127.0.0.1.evil.example" }],
    ["to a name that ends as one of this machine does", { host: "notlocalhost" }],
    ["to an address of a network", { host: "192.0.2.1:8079" }],
    [
      "to a name pointed here, from its own pages",
      { host: "evil.example", origin: "http://evil.example", "sec-fetch-site": "same-origin" },
    ],
  ])("%s", async (_, headers) => {
    const before = bridge.commands;
    for (const authorization of [`Bearer ${token}`, ""]) {
      const fields = { ...headers, authorization };
      for (const sent of [{ body: SET }, { method: "GET", path: "/set/k/v" }]) {
        const { status, body } = await send(bridge, { ...sent, headers: fields });
        expect(status).toBe(403);
        expect((body as { error: string }).error).toMatch(/^ERR this bridge serves /);
      }
    }
    expect(bridge.commands).toBe(before);
    expect(await keys()).toEqual(result(0));
  });

  test("and so is the question whether it might", async () => {
    const { status, headers } = await send(bridge, {
      method: "OPTIONS",
      headers: {
        origin: "https://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
        authorization: "",
      },
    });
    expect(status).toBe(403);
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("a request that no other site can send is served", () => {
  test.each([
    ["to localhost", { host: "localhost:8079" }],
    ["to LOCALHOST", { host: "LOCALHOST" }],
    ["to a name below localhost", { host: "redis.localhost:1" }],
    ["to another address of the loopback", { host: "127.8.9.10:8079" }],
    ["to the loopback of IPv6", { host: "[::1]:8079" }],
    ["typed into a browser", { "sec-fetch-site": "none" }],
  ])("%s", async (_, headers) => {
    expect(await send(bridge, { headers, body: SET })).toMatchObject(result("OK"));
  });

  test("from a page of its own", async () => {
    const headers = { origin: ours(), "sec-fetch-site": "same-origin" };
    expect(await send(bridge, { headers, body: SET })).toMatchObject(result("OK"));
  });

  test("to a name that it was told of, and to no other", async () => {
    const statusAt = async (host: string) =>
      (await send(open, { headers: { host }, body: SET })).status;
    expect([await statusAt("redis-rest:80"), await statusAt("redis-rest.evil")]).toEqual([
      200, 403,
    ]);
  });
});

test.each(["0.0.0.0", "::"])("a bridge that listens on %s serves it by that name", async (host) => {
  const wide = await startBridge({ redis: redis.url, port: 0, token, host });
  const { port } = new URL(wide.url);
  const name = host === "::" ? `[::]:${port}` : `${host}:${port}`;
  expect(await send(wide, { headers: { host: name }, body: SET })).toMatchObject(result("OK"));
  expect((await send(bridge, { headers: { host: name }, body: SET })).status).toBe(403);
  await wide.close();
});

describe("the token", () => {
  const denied = error("WRONGPASS invalid or missing auth token", 401);

  test("follows its scheme in any case, and no other part", async () => {
    for (const [authorization, status] of [
      [`bearer ${token}`, 200],
      [`BEARER ${token}`, 200],
      [`Basic Bearer ${token}`, 401],
      [token, 401],
    ] as const) {
      const sent = await send(bridge, { headers: { authorization }, body: SET });
      expect([authorization, sent.status]).toEqual([authorization, status]);
    }
    await ask(bridge, ["FLUSHALL"]);
  });

  test("counts in the Authorization field alone, which no form, image or script tag can set", async () => {
    const headers = { authorization: "" };
    const query = new URLSearchParams({ _token: token });
    expect(await ask(bridge, { path: `/set/k/v?${query}`, headers })).toEqual(denied);
    expect(await ask(bridge, { path: `/?${query}`, body: SET, headers })).toEqual(denied);
    expect(await ask(bridge, { path: "/set/k/v", headers })).toEqual(denied);
    expect(await keys()).toEqual(result(0));
  });

  test("in the query does not become an argument either", async () => {
    expect(await ask(bridge, { path: "/echo/hi?_token=x" })).toEqual(result("hi"));
  });
});
