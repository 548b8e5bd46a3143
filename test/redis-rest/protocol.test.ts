import { request as httpRequest } from "node:http";

import { beforeEach, describe, expect, test } from "vitest";

import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { ask, error, refusalOf, result, token, useBridge } from "../support/redis-rest/harness.ts";

let bridge: Bridge;
useBridge((started) => ({ bridge } = started), { allow: ["FLUSHALL"] });
beforeEach(() => ask(bridge, ["FLUSHALL"]));

describe("authorization", () => {
  const denied = error("WRONGPASS invalid or missing auth token", 401);

  test.each([
    ["no header", { authorization: "" }],
    ["another token", { authorization: "Bearer another" }],
    ["a prefix of the token", { authorization: `Bearer ${token.slice(0, -1)}` }],
    ["another scheme", { authorization: `Basic ${token}` }],
  ])("%s is refused", async (_, headers) => {
    expect(await ask(bridge, { path: "/ping", headers })).toEqual(denied);
    expect(await ask(bridge, { body: ["PING"], headers })).toEqual(denied);
    expect(await ask(bridge, { path: "/pipeline", body: [["PING"]], headers })).toEqual(denied);
  });
});

describe("a command in the body", () => {
  test("is a JSON array", async () => {
    expect(await ask(bridge, ["SET", "k", "v", "EX", 100])).toEqual(result("OK"));
    expect(await ask(bridge, ["get", "k"])).toEqual(result("v"));
    expect(await ask(bridge, { method: "PUT", body: ["TTL", "k"] })).toEqual(result(100));
  });

  test("may have arguments that are not strings", async () => {
    await ask(bridge, ["RPUSH", "k", 1, 0.5, -2e21, true, { a: [1, null] }, ["x"], ""]);
    expect(await ask(bridge, ["LRANGE", "k", 0, -1])).toEqual(
      result(["1", "0.5", "-2e+21", "true", '{"a":[1,null]}', '["x"]', ""]),
    );
    expect(await ask(bridge, ["SET", "k", null])).toEqual(error("ERR null args are not supported"));
  });

  test.each([
    ["not JSON", "SET k v", "ERR failed to parse the request body as JSON"],
    ["nothing", "", "ERR failed to parse the request body as JSON"],
    ["an object", '{"a":1}', "ERR a command is a non-empty JSON array"],
    ["an empty array", "[]", "ERR a command is a non-empty JSON array"],
    ["an empty name", '[""]', "ERR empty command name"],
  ])("is refused when it is %s", async (_, body, message) => {
    expect(await ask(bridge, { method: "POST", body })).toEqual(error(message));
  });

  test("takes 10 MB and not a byte more", async () => {
    const envelope = '["STRLEN",""]'.length;
    const value = "x".repeat(10 * 1024 * 1024 - envelope);
    expect(await ask(bridge, ["STRLEN", value])).toEqual(result(0));
    expect(await ask(bridge, ["STRLEN", `${value}x`])).toEqual(
      error("ERR max request size exceeded. Limit: 10485760 bytes, Actual: 10485761 bytes", 413),
    );
  });
});

describe("a command in the path", () => {
  test("is read by GET, POST and PUT", async () => {
    expect(await ask(bridge, { path: "/set/foo/bar" })).toEqual(result("OK"));
    expect(await ask(bridge, { path: "/get/foo", method: "POST" })).toEqual(result("bar"));
    expect(await ask(bridge, { path: "/GET/foo/", method: "PUT" })).toEqual(result("bar"));
    expect(await ask(bridge, { path: "/get/foo", method: "HEAD" })).toEqual({ status: 200 });
  });

  test("takes the body as its last argument and the query as options after it", async () => {
    const value = '{"a": "b/c?"}';
    expect(await ask(bridge, { path: "/set/foo?EX=100&NX", body: value })).toEqual(result("OK"));
    expect(await ask(bridge, { path: "/get/foo" })).toEqual(result(value));
    expect(await ask(bridge, { path: "/ttl/foo" })).toEqual(result(100));
    expect(await ask(bridge, { path: "/set/foo?EX=100&NX", body: "2" })).toEqual(result(null));
  });

  test("is decoded to bytes, segment by segment", async () => {
    await ask(bridge, { path: "/set/a%2Fb%20c/%C3%A4%ff%00" });
    const headers = { "upstash-encoding": "base64" };
    const bytes = Buffer.from([0xc3, 0xa4, 0xff, 0x00]).toString("base64");
    expect(await ask(bridge, { body: ["GET", "a/b c"], headers })).toEqual(result(bytes));
  });

  test("keeps segments that a URL parser would fold away", async () => {
    const { port } = new URL(bridge.url);
    const text = await new Promise<string>((resolve) => {
      const headers = { authorization: `Bearer ${token}` };
      httpRequest({ port, path: "/mget/../x/.", headers }, async (response) =>
        resolve(Buffer.concat(await response.toArray()).toString()),
      ).end();
    });
    expect(text).toBe('{"result":[null,null,null]}');
  });
});

describe("statuses", () => {
  test("an error of Redis is 400, word for word", async () => {
    await ask(bridge, ["RPUSH", "list", "x"]);
    expect(await ask(bridge, ["INCR", "list"])).toEqual(
      error("WRONGTYPE Operation against a key holding the wrong kind of value"),
    );
    expect(await ask(bridge, ["GET"])).toEqual(
      error("ERR wrong number of arguments for 'get' command"),
    );
    expect(await ask(bridge, { path: "/nope/x" })).toEqual(error(refusalOf("NOPE")));
  });

  test("other methods are 405, the bare root is 404", async () => {
    for (const [request, message, status] of [
      [{ path: "/get/k", method: "DELETE" }, "ERR DELETE is not allowed", 405],
      [{ path: "/get/k", method: "PATCH" }, "ERR PATCH is not allowed", 405],
      [{ path: "/get/k", method: "OPTIONS" }, "ERR OPTIONS is not allowed", 405],
      [{ path: "/pipeline" }, "ERR /pipeline takes POST", 405],
      [{ path: "/" }, "ERR no command in the path. POST one to /", 404],
    ] as const) {
      expect(await ask(bridge, request)).toEqual(error(message, status));
    }
  });

  const stateful = "SUBSCRIBE c,MONITOR,BLPOP k 0,SELECT 1,WATCH k,MULTI,CLIENT REPLY OFF,QUIT";
  const blocking = "XREAD BLOCK 0 STREAMS s $,SCRIPT DEBUG YES,WAIT 1 0,AUTH x,RESET,SHUTDOWN";
  test.each(`${stateful},${blocking}`.split(","))("%s is refused", async (text) => {
    const command = text.split(" ");
    expect(await ask(bridge, command)).toEqual(error(refusalOf(command[0]!)));
    expect(await ask(bridge, [command[0]?.toLowerCase(), ...command.slice(1)])).toMatchObject({
      status: 400,
    });
  });
});

test("counts requests and commands as they come", async () => {
  const before = { requests: bridge.requests, commands: bridge.commands };
  await ask(bridge, ["PING"]);
  await ask(bridge, { path: "/pipeline", body: [["PING"], ["PING"]] });
  await ask(bridge, { path: "/ping", headers: { authorization: "" } });
  expect(bridge.requests - before.requests).toBe(3);
  expect(bridge.commands - before.commands).toBe(3);
});

test("concurrent requests share one connection, each getting its own answer", async () => {
  const texts = Array.from({ length: 200 }, (_, i) => `text ${i}`);
  const answers = await Promise.all(texts.map((text) => ask(bridge, ["ECHO", text])));
  expect(answers).toEqual(texts.map(result));
  const { body } = await ask(bridge, ["INFO", "clients"]);
  expect((body as { result: string }).result).toContain("connected_clients:1\r\n");
});

test("an abandoned request does no harm", async () => {
  const { port } = new URL(bridge.url);
  const headers = { authorization: `Bearer ${token}`, "content-length": 100 };
  const abandoned = httpRequest({ port, method: "POST", headers }).on("error", () => {});
  await new Promise<void>((resolve) => abandoned.write('["SET', () => resolve()));
  abandoned.destroy();
  expect(await ask(bridge, ["PING"])).toEqual(result("PONG"));
});
