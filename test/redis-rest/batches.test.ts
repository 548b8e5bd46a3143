import { Redis } from "@upstash/redis";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";

import { allowedCommands } from "../../packages/redis-rest/src/allowed-commands.ts";
import type { Backend, RedisCommand } from "../../packages/redis-rest/src/backend.ts";
import type { Bridge } from "../../packages/redis-rest/src/bridge.ts";
import { connectionLost } from "../../packages/redis-rest/src/errors.ts";
import { execute } from "../../packages/redis-rest/src/execute.ts";
import { ask, error, refusalOf, result, token, useBridge } from "../support/redis-rest/harness.ts";

let bridge: Bridge;
let client: Redis;
useBridge((started) => ({ bridge } = started), { allow: ["FLUSHALL"] });
beforeAll(() => {
  client = new Redis({ url: bridge.url, token, retry: { retries: 0 } });
});
beforeEach(() => ask(bridge, ["FLUSHALL"]));

const pipeline = (...body: unknown[][]) => ask(bridge, { path: "/pipeline", body });
const transaction = (...body: unknown[][]) => ask(bridge, { path: "/multi-exec", body });
const wrongType = "WRONGTYPE Operation against a key holding the wrong kind of value";

describe("a pipeline", () => {
  test("of which a dead master has a part answers for the others; only where none is left is it 503", async () => {
    const lost = connectionLost(new Error("Connection is closed"));
    const backend: Backend = {
      connected: async () => true,
      transaction: async () => [],
      close() {},
      async send({ args: [key] }) {
        if (key === "dead") throw lost;
        return Buffer.from("v");
      },
    };
    const get = (key: string) => ({ name: "GET", args: [key] });
    const run = (...commands: RedisCommand[]) =>
      execute({ kind: "pipeline", commands }, allowedCommands(), backend, false);
    expect(JSON.parse(await run(get("dead"), get("alive"), get("dead")))).toEqual([
      { error: lost.message },
      { result: "v" },
      { error: lost.message },
    ]);
    await expect(run(get("dead"), get("dead"))).rejects.toBe(lost);
  });

  test("answers each command in its place, errors included", async () => {
    const commands = [["SET", "k", "v"], ["LPUSH", "k", 1], ["MONITOR"], ["GET", "k"], ["GET"]];
    expect((await pipeline(...commands)).body).toEqual([
      { result: "OK" },
      { error: wrongType },
      { error: refusalOf("MONITOR") },
      { result: "v" },
      { error: "ERR wrong number of arguments for 'get' command" },
    ]);
  });

  test("runs in order", async () => {
    const { body } = await pipeline(...Array.from({ length: 500 }, () => ["INCR", "n"]));
    expect(body).toEqual(Array.from({ length: 500 }, (_, i) => ({ result: i + 1 })));
  });

  test.each([["{}"], ["[]"], ['["GET","k"]'], ['[["GET","k"],[]]']])(
    "%s is not one, and no command runs",
    async (body) => {
      for (const path of ["/pipeline", "/multi-exec"]) {
        expect((await ask(bridge, { path, body })).status).toBe(400);
      }
    },
  );

  test("works with the client", async () => {
    const batch = client.pipeline().set("k", { a: "ä" }).get("k").incr("n").hgetall("none");
    expect(await batch.exec()).toEqual(["OK", { a: "ä" }, 1, null]);
    await expect(client.pipeline().incr("n").incr("k").exec()).rejects.toThrow(
      "Command 2 [ incr ] failed: ERR value is not an integer or out of range",
    );
  });
});

describe("a transaction", () => {
  test("answers each command; one that fails while it runs doesn't stop the others", async () => {
    const commands = [
      ["SET", "k", "v"],
      ["LPUSH", "k", 1],
      ["HSET", "h", "a", 1],
      ["hgetall", "h"],
    ];
    const body = [{ result: "OK" }, { error: wrongType }, { result: 1 }, { result: ["a", "1"] }];
    expect(await transaction(...commands)).toEqual({ status: 200, body });
  });

  test("is discarded whole for a command that cannot be queued, which is named", async () => {
    expect(await transaction(["SET", "k", "v"], ["GET"], ["STRLEN"])).toEqual(
      error(
        "EXECABORT Transaction discarded because of: ERR wrong number of arguments for 'get' command",
      ),
    );
    expect(await transaction(["SET", "k", "v"], ["BLPOP", "l", 0])).toMatchObject({ status: 400 });
    expect(await transaction(["SET", "k", "v"], ["EXEC"])).toMatchObject({ status: 400 });
    expect(await ask(bridge, ["EXISTS", "k"])).toEqual(result(0));
  });

  test("runs uninterrupted by anything else on the connection", async () => {
    const three = Array.from({ length: 3 }, () => ["INCR", "n"]);
    const [transactions] = await Promise.all([
      Promise.all(Array.from({ length: 100 }, () => transaction(...three))),
      Promise.all(Array.from({ length: 100 }, () => ask(bridge, ["INCR", "n"]))),
    ]);
    for (const { body } of transactions) {
      const [a, b, c] = (body as { result: number }[]).map((row) => row.result);
      expect([b, c]).toEqual([a! + 1, a! + 2]);
    }
    expect(await ask(bridge, ["GET", "n"])).toEqual(result("400"));
  });

  test("encodes under base64", async () => {
    const headers = { "upstash-encoding": "base64" };
    const body = [
      ["SET", "k", "ä"],
      ["GET", "k"],
    ];
    expect(await ask(bridge, { path: "/multi-exec", body, headers })).toEqual({
      status: 200,
      body: [{ result: "OK" }, { result: "w6Q=" }],
    });
  });

  test("works with the client", async () => {
    expect(await client.multi().set("k", "ä").get("k").incr("n").exec()).toEqual(["OK", "ä", 1]);
    await expect(client.multi().set("k", 2).eval("return (", [], []).exec()).rejects.toThrow(
      "Command 2 [ eval ] failed: ERR Error compiling script",
    );
  });
});
