import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import type { IncomingMessage } from "node:http";
import { fileURLToPath } from "node:url";

import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";

import { readOptions } from "../../packages/redis-rest/src/options.ts";
import { freePort } from "../../scripts/support/free-port.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import type { RedisServer } from "../../scripts/support/redis-server.ts";
import { ask, result, until } from "../support/redis-rest/harness.ts";

const script = fileURLToPath(new URL("../../packages/redis-rest/src/main.ts", import.meta.url));

interface Run {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  out: string;
  err: string;
}

const start = (...args: string[]) => startWith({}, ...args);

/** Where it says that it listens. */
async function urlOf(run: Run): Promise<string> {
  await until(async () => run.out.endsWith("\n"), 20_000);
  return /^redis-rest: (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(run.out)![1]!;
}

function startWith(environment: Record<string, string>, ...args: string[]): Run {
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, REDIS_REST_TOKEN: "", REDIS_REST_TOKEN_PREVIOUS: "", ...environment },
  });
  const exited = once(child, "close").then(([code]) => code as number | null);
  const run: Run = { child, exited, out: "", err: "" };
  child.stdout.on("data", (chunk) => (run.out += chunk));
  child.stderr.on("data", (chunk) => (run.err += chunk));
  return run;
}

/** Its reason for not starting with these arguments: a process prints this, and no other text. */
function refusalOf(args: readonly string[]): string {
  vi.stubEnv("REDIS_REST_TOKEN", "");
  try {
    readOptions(args);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the arguments are taken");
}

let redis: RedisServer;

beforeAll(async () => {
  redis = await startRedisServer();
});
afterAll(() => redis.stop());
afterEach(() => void vi.unstubAllEnvs());

test.each(["SIGTERM", "SIGINT"] as const)(
  "says where it listens, and ends on %s",
  async (signal) => {
    const run = start("--redis", redis.url, "--port", "0", "--token", "a token");
    expect(await ask({ url: await urlOf(run) }, ["PING"])).toEqual(result("PONG"));
    run.child.kill(signal);
    expect(await run.exited).toBe(0);
    expect(run.err).toBe("");
  },
);

test("draws a token and prints it once, another one with every start", async () => {
  const tokens: string[] = [];
  for (const _ of [1, 2]) {
    const run = start("--redis", redis.url, "--port", "0");
    await until(async () => run.out.split("\n").length === 3, 20_000);
    const [, url, drawn] =
      /^redis-rest: (http:\/\/127\.0\.0\.1:\d+)\nredis-rest: token ([\w-]{32})\n$/.exec(run.out)!;
    for (const [token, status] of [
      [drawn!, 200],
      ["local", 401],
    ] as const) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await ask({ url: url! }, { body: ["PING"], headers })).status).toBe(status);
    }
    tokens.push(drawn!);
    run.child.kill("SIGTERM");
    expect(await run.exited).toBe(0);
  }
  expect(tokens[0]).not.toBe(tokens[1]);
});

test("takes the token of REDIS_REST_TOKEN, and does not print it", async () => {
  const run = startWith({ REDIS_REST_TOKEN: "a token" }, "--redis", redis.url, "--port", "0");
  expect(await ask({ url: await urlOf(run) }, ["PING"])).toEqual(result("PONG"));
  run.child.kill("SIGTERM");
  expect(await run.exited).toBe(0);
  expect(run.out + run.err).not.toContain("a token");
});

test("takes the token of before beside the new one, and prints neither", async () => {
  const environment = { REDIS_REST_TOKEN: "new one", REDIS_REST_TOKEN_PREVIOUS: "old one\n" };
  const run = startWith(environment, "--redis", redis.url, "--port", "0");
  const url = await urlOf(run);
  const statuses = ["new one", "old one", "new one old one", "old", ""].map(async (token) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await ask({ url }, { body: ["PING"], headers })).status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 200, 401, 401, 401]);
  run.child.kill("SIGTERM");
  expect(await run.exited).toBe(0);
  expect(run.out + run.err).not.toContain("one");
});

test("serves the hosts that --allow-host names", async () => {
  const names = ["--allow-host", "redis-rest", "--allow-host", "other"];
  const run = start("--redis", redis.url, "--port", "0", "--token", "a token", ...names);
  const url = await urlOf(run);
  const statuses = ["redis-rest", "other:80", "third"].map(async (host) => {
    const request = httpRequest(url, { headers: { host, authorization: "Bearer a token" } }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  });
  // Served: there is no command at the root.
  expect(await Promise.all(statuses)).toEqual([404, 404, 403]);
  run.child.kill("SIGTERM");
  expect(await run.exited).toBe(0);
});

test("runs the commands that --allow names", async () => {
  const allowing = (commands: string) =>
    start("--redis", redis.url, "--port", "0", "--token", "a token", "--allow", commands);
  const [bridge, all] = [allowing("script  Flush"), allowing("dangerous")];
  const statuses = async (run: Run) => {
    const url = await urlOf(run);
    const commands = [
      ["SCRIPT", "FLUSH"],
      ["KEYS", "none"],
      ["SCRIPT", "KILL"],
    ];
    const answers = await Promise.all(commands.map((command) => ask({ url }, command)));
    return answers.map(({ status }) => status);
  };
  expect([await statuses(bridge), await statuses(all)]).toEqual([
    [200, 400, 400],
    [200, 200, 400],
  ]);
  for (const run of [bridge, all]) run.child.kill();
  await Promise.all([bridge.exited, all.exited]);
});

test("starts without Redis, and says so", async () => {
  const nowhere = `redis://127.0.0.1:${await freePort()}`;
  const run = start("--redis", nowhere, "--port", "0");
  await until(async () => run.err.endsWith("\n"), 20_000);
  expect(run.err).toBe(
    "redis-rest: Redis isn't reachable yet; requests are answered 503 until it is\n",
  );
  run.child.kill("SIGTERM");
  expect(await run.exited).toBe(0);
});

test.each([
  [["--prot", "1"], "Unknown option '--prot'"],
  [["--port", "x"], '--port takes 0 to 65535, not "x"'],
  [["--port", "65536"], '--port takes 0 to 65535, not "65536"'],
  [["--redis", "localhost:6379"], 'redis:// or rediss:// URL, not "localhost:6379"'],
  [["--redis", "redis://a:1,redis://b:1"], "several URLs only with --cluster"],
  [["--emulate", "redis"], '--emulate knows "upstash", not "redis"'],
  [["--allow", "SELECT"], '"dangerous" or a command that --help lists, not "SELECT"'],
  [["--allow", "SCRIPT KILL"], 'not "SCRIPT KILL"'],
  [["--host", "0.0.0.0"], "--token must be given, and not empty, to listen beyond loopback"],
  [["--token", ""], "--token must not be empty"],
  [["--token", "\n"], "--token must not be empty"],
  [["--token", "new", "--previous-token", " "], "--previous-token must not be empty"],
  [["--previous-token", "old"], "--previous-token needs the token that replaces it: --token"],
  [["--token", "se\u00e9cret"], "--token takes printable ASCII characters"],
])("%j is an error that names it in one line", (args, message) => {
  const refusal = refusalOf(args);
  expect(refusal).toContain(message);
  expect(refusal).not.toContain("\n");
});

test("an error of the arguments ends it, in one line and without other text", async () => {
  const run = start("--port", "x");
  expect(await run.exited).toBe(2);
  expect([run.out, run.err]).toEqual(["", 'redis-rest: --port takes 0 to 65535, not "x"\n']);
});

test("a port in use is an error", async () => {
  const run = start("--redis", redis.url, "--port", `${redis.port}`);
  expect(await run.exited).toBe(1);
  expect(run.err).toMatch(/^redis-rest: port in use \(.*EADDRINUSE.*\)\n$/);
});

test("--help is not an error", async () => {
  const run = start("--help");
  expect(await run.exited).toBe(0);
  expect(run.out).toContain("--emulate upstash");
});

test.each([
  "redis://:hunter2/x@127.0.0.1:1",
  "redis://:hunter2#x@127.0.0.1:1",
  "redis://user:12/hunter2@127.0.0.1:1",
  "redis://user:12#hunter2@127.0.0.1:1",
  "redis://:hunter2,x@127.0.0.1:1",
  "http://:hunter2@127.0.0.1:1",
  ":hunter2@127.0.0.1:1",
])("a password in %s is not in the error", (url) => {
  const refusal = refusalOf(["--redis", url, "--port", "0", "--cluster"]);
  expect(refusal).toContain("write / as %2F, # as %23");
  expect(refusal).not.toMatch(/hunter/);
});

test("a password of any characters comes from the environment, a token's line break is dropped", async () => {
  const password = "a/b#c?d@e,f%20g";
  const own = await startRedisServer();
  const admin = new Redis(own.url);
  await admin.config("SET", "requirepass", password);
  admin.disconnect();
  const environment = { REDIS_PASSWORD: `${password}\n`, REDIS_REST_TOKEN: "a token\n" };
  const run = startWith(environment, "--redis", own.url, "--port", "0");
  try {
    expect(await ask({ url: await urlOf(run) }, ["PING"])).toEqual(result("PONG"));
    expect(run.err + run.out).not.toContain("a/b");
  } finally {
    run.child.kill("SIGTERM");
    await run.exited;
    await own.stop();
  }
});
