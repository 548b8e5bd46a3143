import { createHash } from "node:crypto";

import { Redis as UpstashRedis } from "@upstash/redis";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import type { RedisServer } from "../../scripts/support/redis-server.ts";
import { ask, error, result, token } from "../support/redis-rest/harness.ts";

let redis: RedisServer;
let direct: Redis;
let stock: Bridge;
let upstash: Bridge;

beforeAll(async () => {
  redis = await startRedisServer();
  direct = new Redis(redis.url);
  stock = await startBridge({ redis: redis.url, port: 0, token });
  upstash = await startBridge({
    redis: redis.url,
    port: 0,
    token,
    allow: ["SCRIPT FLUSH"],
    emulate: "upstash",
  });
});
beforeEach(async () => {
  await direct.flushall();
  await ask(upstash, ["SCRIPT", "FLUSH"]);
});
afterAll(async () => {
  await Promise.all([stock.close(), upstash.close()]);
  direct.disconnect();
  await redis.stop();
});

test("only the emulation has the field by which Upstash's clients read their own writes", async () => {
  const headers = { authorization: `Bearer ${token}` };
  const fields = await Promise.all(
    [stock, upstash].map(async ({ url }) => (await fetch(`${url}/ping`, { headers })).headers),
  );
  expect(fields.map((each) => each.get("upstash-sync-token"))).toEqual([null, "emulated"]);
});

const flagged = (body: string) => `#!lua flags=allow-key-locking\n${body}`;
const sha = (script: string) => createHash("sha1").update(script).digest("hex");
const noScript = error("NOSCRIPT No matching script. Please use EVAL.");
const increment = "return redis.call('INCR', KEYS[1])";
const dynamic = (key: string) =>
  `ERR Dynamic keys are not allowed in Lua scripts when 'allow-key-locking' flag is set. Key was: ${key}`;

describe("in front of stock Redis", () => {
  test("a script runs by its text, then by its SHA1", async () => {
    expect(await ask(stock, ["EVALSHA", sha(increment), 1, "k"])).toEqual(noScript);
    expect(await ask(stock, ["EVAL", increment, 1, "k"])).toEqual(result(1));
    expect(await ask(stock, ["EVALSHA", sha(increment), 1, "k"])).toEqual(result(2));
    expect(await ask(stock, ["SCRIPT", "LOAD", "return 1"])).toEqual(result(sha("return 1")));
  });

  test("the flag is Redis's to reject", async () => {
    const rejected = error("ERR Unexpected flag in script shebang: allow-key-locking");
    expect(await ask(stock, ["EVAL", flagged(increment), 1, "k"])).toEqual(rejected);
    expect(await ask(stock, ["SCRIPT", "LOAD", flagged(increment)])).toEqual(rejected);
    expect(await ask(stock, ["EVALSHA", sha(flagged(increment)), 1, "k"])).toEqual(noScript);
  });
});

describe("emulating Upstash", () => {
  test("a flagged script runs by its text, then by the SHA1 of that text", async () => {
    const script = flagged(increment);
    expect(await ask(upstash, ["EVALSHA", sha(script), 1, "k"])).toEqual(noScript);
    expect(await ask(upstash, ["EVAL", script, 1, "k"])).toEqual(result(1));
    expect(await ask(upstash, ["EVALSHA", sha(script), 1, "k"])).toEqual(result(2));
    expect(await ask(upstash, ["evalsha", sha(script).toUpperCase(), 1, "k"])).toEqual(result(3));
  });

  test("SCRIPT LOAD, EXISTS and FLUSH know it by that SHA1", async () => {
    const script = flagged(increment);
    const exists = ["SCRIPT", "EXISTS", sha(script), sha("never")];
    expect(await ask(upstash, ["SCRIPT", "LOAD", script])).toEqual(result(sha(script)));
    expect(await ask(upstash, exists)).toEqual(result([1, 0]));
    expect(await ask(upstash, ["EVALSHA", sha(script), 1, "k"])).toEqual(result(1));
    expect(await ask(upstash, ["script", "flush"])).toEqual(result("OK"));
    expect(await ask(upstash, exists)).toEqual(result([0, 0]));
    expect(await ask(upstash, ["EVALSHA", sha(script), 1, "k"])).toEqual(noScript);
  });

  test("a cache flushed behind the bridge's back is NOSCRIPT as well", async () => {
    const script = flagged(increment);
    await ask(upstash, ["EVAL", script, 1, "k"]);
    await direct.script("FLUSH");
    expect(await ask(upstash, ["EVALSHA", sha(script), 1, "k"])).toEqual(noScript);
    expect(await ask(upstash, ["EVAL", script, 1, "k"])).toEqual(result(2));
  });

  test("an undeclared key is rejected, and nothing written", async () => {
    const call = flagged("redis.call('SET', KEYS[1] .. 'x', 1)");
    expect(await ask(upstash, ["EVAL", call, 1, "k"])).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(new RegExp(`^${dynamic("kx")} script: `)) },
    });
    const pcall = flagged("return redis.pcall('SET', ARGV[1], 1)");
    expect(await ask(upstash, ["EVAL", pcall, 1, "k", "other"])).toEqual(error(dynamic("other")));
    const second = flagged("return redis.pcall('DEL', KEYS[1], 'other')");
    expect(await ask(upstash, ["EVAL", second, 1, "k"])).toEqual(error(dynamic("other")));
    const wider = flagged("return redis.pcall('FLUSHALL')");
    expect(await ask(upstash, ["EVAL", wider, 1, "k"])).toEqual(
      error("ERR 'FLUSHALL' is not allowed in Lua scripts when 'allow-key-locking' flag is set."),
    );
    expect(await direct.dbsize()).toBe(0);
  });

  test("a declared key may be computed, and commands without keys may run", async () => {
    const script = flagged(`
      local call = redis.call
      call('MSET', ARGV[1] .. '1', 'a', KEYS[2], 'b')
      call('ZADD', KEYS[3], 1, 'x')
      call('ZUNIONSTORE', KEYS[3], 1, KEYS[3])
      local time = redis.call('TIME')
      local wrong = redis.pcall('INCR', KEYS[1])
      return { call('GET', KEYS[1]), #time, redis.sha1hex(''), wrong.err, call('PING').ok }`);
    expect(await ask(upstash, ["EVAL", script, 3, "k1", "k2", "z", "k"])).toEqual(
      result(["a", 2, sha(""), "ERR value is not an integer or out of range", "PONG"]),
    );
  });

  test("a script that isn't flagged runs as it is", async () => {
    const script = "return redis.call('INCR', 'undeclared')";
    expect(await ask(upstash, ["EVAL", script, 1, "k"])).toEqual(result(1));
    expect(await ask(stock, ["EVALSHA", sha(script), 1, "k"])).toEqual(result(2));
    const later = `return 1 --[[\n#!lua flags=allow-key-locking\n]]`;
    expect(await ask(upstash, ["EVAL", later, 0])).toEqual(result(1));
  });

  test.each([
    ["alone", "allow-key-locking"],
    ["with others", "no-writes,allow-key-locking"],
  ])("the flag %s leaves line numbers as they are", async (_, flags) => {
    const script = `#!lua flags=${flags}\n\nerror('oops')`;
    const { body } = await ask(upstash, ["EVAL", script, 1, "k"]);
    expect((body as { error: string }).error).toMatch(
      /user_script:3: oops script: \w+, on @user_script:3\.$/,
    );
  });

  test("other flags go on to Redis", async () => {
    const script = "#!lua flags=no-writes,allow-key-locking\n return redis.pcall('INCR', KEYS[1])";
    expect(await ask(upstash, ["EVAL", script, 1, "k"])).toEqual(
      error("ERR Write commands are not allowed from read-only scripts."),
    );
    const read = "#!lua flags=no-writes,allow-key-locking\nreturn redis.call('GET', KEYS[1])";
    expect(await ask(upstash, ["EVAL_RO", read, 1, "k"])).toEqual(result(null));
    expect(await ask(upstash, ["EVALSHA_RO", sha(read), 1, "k"])).toEqual(result(null));
  });

  test("batches are translated too", async () => {
    const script = flagged(increment);
    const body = [
      ["SCRIPT", "LOAD", script],
      ["EVALSHA", sha(script), 1, "k"],
      ["GET", "k"],
    ];
    for (const path of ["/pipeline", "/multi-exec"]) {
      await direct.flushall();
      expect(await ask(upstash, { path, body })).toEqual({
        status: 200,
        body: [{ result: sha(script) }, { result: 1 }, { result: "1" }],
      });
    }
  });

  test("the client runs flagged scripts", async () => {
    const client = new UpstashRedis({ url: upstash.url, token, retry: { retries: 0 } });
    const script = client.createScript<number>(flagged(`${increment} -- ä`));
    expect(await script.exec(["k"], [])).toBe(1);
    expect(await script.exec(["k"], [])).toBe(2);
  });
});
