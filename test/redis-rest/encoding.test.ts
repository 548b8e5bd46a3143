import { Redis } from "@upstash/redis";
import { expect, test } from "vitest";

import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { ask, error, result, token, useBridge } from "../support/redis-rest/harness.ts";

let bridge: Bridge;
useBridge((started) => ({ bridge } = started));

const base64 = (text: string) => Buffer.from(text).toString("base64");
const encoded = (body: unknown[]) =>
  ask(bridge, { body, headers: { "upstash-encoding": "base64" } });
const lua = (body: string) => ["EVAL", `return ${body}`, 0];

const unicode = 'grüße 漢字 🚦 \u0000\r\n"';

test("text is JSON, or base64 of its UTF-8", async () => {
  expect(await ask(bridge, ["SET", "text", unicode])).toEqual(result("OK"));
  expect(await ask(bridge, ["GET", "text"])).toEqual(result(unicode));
  expect(await encoded(["GET", "text"])).toEqual(result(base64(unicode)));
});

test("bytes survive base64; without it, bytes that aren't UTF-8 become U+FFFD", async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(await ask(bridge, { path: "/set/bytes", body: bytes })).toEqual(result("OK"));
  expect(await encoded(["GET", "bytes"])).toEqual(result(Buffer.from(bytes).toString("base64")));
  expect(await ask(bridge, ["GETRANGE", "bytes", 126, 129])).toEqual(result("~\u007F\uFFFD\uFFFD"));
});

test("OK stays readable under base64, and only by itself", async () => {
  expect(await encoded(["SET", "ok", "OK"])).toEqual(result("OK"));
  expect(await encoded(["PING"])).toEqual(result(base64("PONG")));
  expect(await encoded(["MGET", "ok"])).toEqual(result([base64("OK")]));
  expect(await encoded(lua("{'OK'}"))).toEqual(result([base64("OK")]));
});

test("integers are exact, in JSON at least", async () => {
  for (const n of ["9007199254740991", "-9007199254740991", "9223372036854775806"]) {
    await ask(bridge, ["SET", "n", n]);
    const response = await fetch(`${bridge.url}/incrby/n/1`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await response.text()).toBe(`{"result":${BigInt(n) + 1n}}`);
  }
});

test.each([
  ["1", 1],
  ["-9007199254740991", -9_007_199_254_740_991],
  ["nil", null],
  ["{}", []],
  ["{1, 'a', {'b', {false, 2}}, ''}", [1, "a", ["b", [null, 2]], ""]],
])("%s keeps its shape, only its strings are encoded", async (body, value) => {
  const deep = (v: unknown): unknown =>
    Array.isArray(v) ? v.map(deep) : typeof v === "string" ? base64(v) : v;
  expect(await ask(bridge, lua(body))).toEqual(result(value));
  expect(await encoded(lua(body))).toEqual(result(deep(value)));
});

test("replies are those of RESP2: flat pairs, numbers as text", async () => {
  await ask(bridge, ["HSET", "hash", "a", 1, "b", 2]);
  await ask(bridge, ["ZADD", "zset", 1.5, "x"]);
  await ask(bridge, ["XADD", "stream", "1-1", "f", "v"]);
  expect(await ask(bridge, ["hgetall", "hash"])).toEqual(result(["a", "1", "b", "2"]));
  expect(await ask(bridge, ["ZRANGE", "zset", 0, -1, "WITHSCORES"])).toEqual(result(["x", "1.5"]));
  expect(await ask(bridge, ["ZSCORE", "zset", "x"])).toEqual(result("1.5"));
  expect(await ask(bridge, ["XREAD", "STREAMS", "stream", 0])).toEqual(
    result([["stream", [["1-1", ["f", "v"]]]]]),
  );
});

test("an error is never encoded", async () => {
  expect(await encoded(lua("redis.error_reply('MY own')"))).toEqual(error("MY own"));
});

test.each(["base64", false] as const)(
  "the client reads all of it, with response encoding %s",
  async (responseEncoding) => {
    const client = new Redis({
      url: bridge.url,
      token,
      retry: { retries: 0 },
      responseEncoding,
      automaticDeserialization: false,
      enableTelemetry: false,
    });
    expect(await client.set("client", unicode)).toBe("OK");
    expect(await client.get("client")).toBe(unicode);
    expect(await client.get("nothing")).toBe(null);
    await client.set("counter", 41);
    expect(await client.incr("counter")).toBe(42);
    await client.set("ok", "OK");
    expect(await client.mget("ok", "client", "nothing")).toEqual(["OK", unicode, null]);
    const nested = await client.eval("return {1, 'OK', {'ä', {'OK', 2}}, false}", [], []);
    expect(nested).toEqual([1, "OK", ["ä", ["OK", 2]], null]);
  },
);
