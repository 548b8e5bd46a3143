import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";
import { redisServerPath } from "../../scripts/support/redis-server.ts";
import { run } from "../support/stack/command.ts";
import type { Command } from "../support/stack/command.ts";
import { descendants, expectGone, expectRefused } from "./processes.ts";
import { ask, count, expectDenied, left } from "./requests.ts";
import type { Answer } from "./requests.ts";

const started: Command[] = [];
// Everything is over by now, unless a test failed.
afterAll(() => started.forEach(({ child, pid }) => child.exitCode ?? killGroup(pid, "SIGKILL")));

function start(environment = {}, command = ["npm", "start"]): Command {
  const running = run(command, environment);
  started.push(running);
  return running;
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

describe("npm start", () => {
  let stack: Command;
  let worker: string;
  beforeAll(async () => {
    stack = start();
    await stack.ready();
    worker = stack.address("worker");
  });

  test("says where everything is", () => {
    expect(stack.out()).toContain(`ready ${worker}\n`);
    for (const name of ["worker", "origin", "bridge"]) {
      expect(stack.address(name)).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/);
    }
    expect(stack.address("Redis")).toMatch(/^redis:\/\//);
    expect(stack.address("store")).toBe("Redis");
    expect(stack.err()).toBe("");
  });

  test("draws the bridge's token, and prints it once", async () => {
    const [token, ...more] = stack.out().matchAll(/token: (\S+)/g);
    expect(more).toEqual([]);
    expect(token![1]).toMatch(/^[\w-]{32}$/);
    const ping = (given: string) =>
      fetch(`${stack.address("bridge")}/ping`, { headers: { authorization: `Bearer ${given}` } });
    expect((await ping(token![1]!)).status).toBe(200);
    expect((await ping("local")).status).toBe(401);
  });

  test("lets 20 ride requests pass, and as many as refill meanwhile; the origin sees no other", async () => {
    const route = "POST /api/rides/request";
    const countsAtOrigin = async () =>
      (await ask(stack.address("origin"), "GET /__counts")).body as Record<string, number>;
    const { [route]: before = 0, ...others } = await countsAtOrigin();
    expect(others).toEqual({});
    const key = crypto.randomUUID();

    const begin = performance.now();
    const answers: Answer[] = [];
    for (let i = 0; i < 25; i++) answers.push(await ask(worker, route, { "x-api-key": key }));
    const refilled = Math.floor((performance.now() - begin) / 100);

    const { 200: passed = 0, 429: denied = 0 } = count(answers.map(({ status }) => status));
    expect(passed).toBeGreaterThanOrEqual(20);
    expect(passed).toBeLessThanOrEqual(20 + refilled);
    expect(denied).toBe(25 - passed);
    expect(answers.slice(0, 20).every(({ status }) => status === 200)).toBe(true);
    expect(await countsAtOrigin()).toEqual({ [route]: before + passed });

    expect(left(await ask(worker, route, { "x-api-key": `${key}-2` }), "rides")).toBe(19);
  });

  test("is healthy", async () => {
    const { status, body } = await ask(worker, "GET /_tidegate/health");
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: "ok", store: "redis" },
    });
  });

  test("leaves nothing running after SIGTERM", async () => {
    const stack = start();
    await stack.ready();
    const processes = descendants(stack.pid);
    const names = processes.map(({ name }) => name);
    expect(names).toContain("workerd");
    if (redisServerPath()) expect(names).toContain("redis-server");

    const begin = performance.now();
    process.kill(stack.pid, "SIGTERM");
    expect(await stack.ended()).toBe(0);
    expect(performance.now() - begin).toBeLessThan(3_000);
    await expectGone(processes);
    const addresses = ["worker", "origin", "bridge"].map((name) => stack.address(name));
    await expectRefused(redisServerPath() ? [...addresses, stack.address("Redis")] : addresses);
    expect(stack.err()).toBe("");
  });
});

const direct = [process.execPath, "scripts/local-stack/main.ts"];

test("takes the bridge's token from REDIS_REST_TOKEN, and says when its Redis ends", async () => {
  const stack = start({ REDIS_REST_TOKEN: "local" }, direct);
  await stack.ready();
  const headers = { authorization: "Bearer local" };
  expect((await fetch(`${stack.address("bridge")}/ping`, { headers })).status).toBe(200);
  expect((await ask(stack.address("worker"), "GET /_tidegate/health")).status).toBe(200);
  expect(stack.err()).toBe("");
  // The last test of a stack here, so that no other has to be started for it.
  const redis = descendants(stack.pid).find(({ name }) => name === "redis-server");
  if (redis) {
    process.kill(redis.pid, "SIGKILL");
    await expect.poll(() => stack.err()).toMatch(/redis-server has ended \(SIGKILL\): .*\n$/);
  }
  process.kill(stack.pid, "SIGTERM");
  expect(await stack.ended()).toBe(0);
  expect(stack.err().match(/has ended/g)).toEqual(redis ? ["has ended"] : null);
});

test("Ctrl-C during start-up leaves nothing running", async () => {
  const stack = start();
  await expect
    .poll(() => descendants(stack.pid).length, { interval: 5, timeout: 15_000 })
    .toBeGreaterThanOrEqual(3);
  const processes = descendants(stack.pid);
  killGroup(stack.pid, "SIGINT");
  expect(await stack.ended()).toBe(0);
  await expectGone(processes);
  expect(stack.out()).not.toContain("ready");
  expect(stack.err()).toBe("");
});

test("without Redis each worker counts in memory, and the banner says so", async () => {
  const environment = { PATH: "/nowhere", REDIS_URL: undefined, WORKERS: "2" };
  const stack = start(environment, direct);
  await stack.ready();
  expect(stack.out()).toMatch(/^  store +memory +no redis-server and no REDIS_URL: each worker/m);
  expect([stack.address("Redis"), stack.address("bridge")]).toEqual(["none", "none"]);

  for (const worker of [stack.address("worker"), stack.address("worker 2")]) {
    const headers = { "cf-connecting-ip": "203.0.113.7" };
    const answers: Answer[] = [];
    for (let i = 0; i < 8; i++) answers.push(await ask(worker, "POST /api/login", headers));
    expect(answers.map(({ status }) => status)).toEqual([...Array(5).fill(200), 429, 429, 429]);
    expectDenied(answers[5]!, ["login-burst"]);
  }

  const processes = descendants(stack.pid);
  expect(processes.filter(({ name }) => name === "workerd")).toHaveLength(2);
  process.kill(stack.pid, "SIGHUP");
  expect(await stack.ended()).toBe(0);
  await expectGone(processes);
  expect(stack.err()).toBe("");
});

test("killed, it takes everything along", async () => {
  // No process is left to tidy up either.
  const folder = mkdtempSync(join(tmpdir(), "killed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const stack = start({ TMPDIR: folder }, direct);
  await stack.ready();
  const processes = descendants(stack.pid);
  process.kill(stack.pid, "SIGKILL");
  expect(await stack.ended()).toBe("SIGKILL");
  await expectGone(processes);
});

describe.concurrent("an obstacle to its start is one line", () => {
  test.each([
    { variable: "PORT", above: 0 },
    { variable: "PORT", above: 10, WORKERS: "2" },
    { variable: "ORIGIN_PORT", above: 0 },
    { variable: "REDIS_REST_PORT", above: 0 },
  ])("$variable is taken, $above above", async ({ variable, above, ...environment }) => {
    const other = createServer();
    await once(other.listen(0, "127.0.0.1"), "listening");
    const { port } = other.address() as AddressInfo;
    const stack = start({ ...environment, [variable]: `${port - above}` }, direct);
    expect(await stack.ended()).toBe(1);
    expect(stack.err()).toBe(`tidegate: port ${port} is taken: set ${variable} to another one\n`);
    expect(stack.out()).toBe("");
    other.close();
  });

  test.each([
    [{ PORT: "http" }, 'PORT takes a whole number from 0 to 65535, not "http"'],
    [{ REDIS_REST_TOKEN: "a b" }, "REDIS_REST_TOKEN takes a token without spaces or line breaks"],
    [{ WORKERS: "0" }, 'WORKERS takes a whole number from 1 to 9, not "0"'],
    [{ REDIS_URL: "127.0.0.1:6379" }, "REDIS_URL takes a redis:// or rediss:// address"],
  ])("%j", async (environment, message) => {
    const stack = start(environment, direct);
    expect(await stack.ended()).toBe(1);
    expect(stack.err()).toBe(`tidegate: ${message}\n`);
  });

  test("REDIS_URL has no Redis", async () => {
    const port = await freePort();
    const stack = start({ REDIS_URL: `redis://:secret@127.0.0.1:${port}` }, direct);
    expect(await stack.ended()).toBe(1);
    expect(stack.err()).toBe(
      `tidegate: REDIS_URL is set, but no Redis answers there: connect ECONNREFUSED 127.0.0.1:${port}\n`,
    );
  });
});
