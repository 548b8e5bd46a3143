import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { DANGEROUS, allowedCommands } from "../../packages/redis-rest/src/allowed-commands.ts";
import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { ask, others, result, token } from "../support/redis-rest/harness.ts";

/* Commands that leave the connection as it is, and can harm other clients all the same. */

const isAllowed = (name: string, args: readonly string[], granted: readonly string[]) => {
  try {
    allowedCommands(granted)({ name, args: [...args] });
    return true;
  } catch {
    return false;
  }
};

let server: RedisServer;
let direct: Redis;
beforeAll(async () => {
  server = await startRedisServer();
  direct = new Redis(server.url);
});
afterAll(async () => {
  direct.disconnect();
  await server.stop();
});

const LIBRARY = "#!lua name=own\nredis.register_function('own', function() return 'mine' end)";
const HARM: [name: string, command: string[]][] = [
  ["FLUSHALL", ["FLUSHALL"]],
  ["FLUSHALL", ["flushall", "ASYNC"]],
  ["FLUSHDB", ["FlushDb"]],
  ["KEYS", ["KEYS", "*"]],
  ["SCRIPT FLUSH", ["SCRIPT", "flush"]],
  ["FUNCTION FLUSH", ["FUNCTION", "FLUSH"]],
  ["FUNCTION DELETE", ["FUNCTION", "DELETE", "own"]],
  ["FUNCTION LOAD", ["FUNCTION", "LOAD", "REPLACE", LIBRARY.replace("mine", "another")]],
  ["FUNCTION RESTORE", ["FUNCTION", "RESTORE", "x", "FLUSH"]],
  ["RESTORE", ["RESTORE", "kept", "0", "x", "REPLACE"]],
  ["CONFIG RESETSTAT", ["CONFIG", "RESETSTAT"]],
  ["SLOWLOG RESET", ["SLOWLOG", "RESET"]],
  ["LATENCY RESET", ["LATENCY", "RESET"]],
  ["MEMORY PURGE", ["MEMORY", "PURGE"]],
];

test("each of them is tried below", () => {
  expect([...new Set(HARM.map(([name]) => name))].sort()).toEqual(DANGEROUS);
});

test("are refused in each kind of request, with the option that allows them, and do no harm", async () => {
  const bridge = await startBridge({ redis: server.url, port: 0, token });
  onTestFinished(() => bridge.close());
  await direct.set("kept", "1");
  await direct.call("FUNCTION", "LOAD", "REPLACE", LIBRARY);
  const sha = (await direct.script("LOAD", "return 'loaded'")) as string;
  for (const [name, command] of HARM) {
    const error = `ERR Command is not available: '${name}'. It can harm other clients. The bridge runs it if it is started with --allow "${name}"`;
    const answers = await Promise.all([
      ask(bridge, command),
      ask(bridge, { path: "/pipeline", body: [["GET", "kept"], command] }),
      ask(bridge, { path: "/multi-exec", body: [["SET", "kept", "2"], command] }),
      ask(bridge, { path: `/${command.map(encodeURIComponent).join("/")}` }),
    ]);
    const refused = { status: 400, body: { error } };
    expect(answers).toEqual([
      refused,
      { status: 200, body: [{ result: "1" }, { error }] },
      refused,
      refused,
    ]);
  }
  expect(await ask(bridge, ["EVALSHA", sha, "0"])).toEqual(result("loaded"));
  expect(await ask(bridge, ["FCALL", "own", "0"])).toEqual(result("mine"));
});

test("run where they are allowed, each by itself, without a changed word in the answers to others", async () => {
  for (const [name, command] of HARM) {
    const grant = (names: readonly string[]) =>
      isAllowed(command[0]!.toUpperCase(), command.slice(1), names);
    expect([name, grant([name])]).toEqual([name, true]);
    expect([name, grant(DANGEROUS.filter((each) => each !== name))]).toEqual([name, false]);
  }
  const bridge = await startBridge({ redis: server.url, port: 0, token, allow: DANGEROUS });
  onTestFinished(() => bridge.close());
  for (const [, command] of HARM) {
    await Promise.all([ask(bridge, command), others(bridge)]);
  }
  await direct.set("kept", "1");
  expect(await ask(bridge, ["KEYS", "*"])).toEqual(result(["kept"]));
  expect(await ask(bridge, ["FLUSHALL"])).toEqual(result("OK"));
  expect(await direct.dbsize()).toBe(0);
});

test("a scan looks at a thousand keys at most", async () => {
  const scans: [args: string[], runs: boolean][] = [
    [["0"], true],
    [["0", "COUNT", "1000"], true],
    [["0", "count", "1001"], false],
    [["0", "MATCH", "COUNT", "COUNT", "1001"], false],
    [["0", "COUNT", "1", "COUNT", "1000000"], false],
    [["0", "MATCH", "COUNT", "TYPE", "string"], true],
    [["0", "MATCH", "2000", "COUNT", "10"], true],
  ];
  for (const [args, runs] of scans)
    expect([args, isAllowed("SCAN", args, DANGEROUS)]).toEqual([args, runs]);
});
