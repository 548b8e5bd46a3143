import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { countValues } from "../../packages/redis-rest/src/protocol.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { ask, others as othersOf, result, token } from "../support/redis-rest/harness.ts";

/* The bridge as a process of its own, with the heap that it gets in a small container. */

const program = fileURLToPath(new URL("../../packages/redis-rest/src/main.ts", import.meta.url));

const MAX_BODY = 10 * 1024 * 1024;

let redis: RedisServer;
let admin: Redis;
let bridge: { readonly url: string };

beforeAll(async () => {
  redis = await startRedisServer();
  admin = new Redis(redis.url);
  const child = spawn(
    process.execPath,
    ["--max-old-space-size=128", program, "--redis", redis.url, "--port", "0", "--token", token],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  bridge = { url: /http:\S+/.exec(String(line))![0] };
  return async () => {
    child.kill();
    await once(child, "close");
  };
});
afterAll(async () => {
  admin.disconnect();
  await redis.stop();
});

const others = () => othersOf(bridge as never);

async function callsOf(command: string): Promise<number> {
  const info = await admin.info("commandstats");
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(info)?.[1] ?? 0);
}

/** A list of one element repeated, as long as a body may be. */
function listOf(element: string): string {
  const count = Math.floor((MAX_BODY - 2) / (element.length + 1));
  return `[${Array(count).fill(element).join(",")}]`;
}

function objectOf(bytes: number): string {
  let text = '{"":0';
  for (let i = 0; text.length < bytes; i++) text += `,"${i}":0`;
  return `${text}}`;
}

test.each([
  ["empty objects", "/pipeline", () => listOf("{}")],
  ["lists", "/pipeline", () => listOf("[0]")],
  ["commands", "/multi-exec", () => listOf('["PING"]')],
  ["lists in lists", "/pipeline", () => listOf("[[],[[0]]]")],
  ["objects as arguments", "/", () => listOf('{"a":{}}')],
  ["numbers, and spaces between them", "/", () => listOf(" 1 ")],
  ["one list within another", "/", () => `${"[".repeat(5_000_000)}${"]".repeat(5_000_000)}`],
  ["lists that do not end", "/", () => "[".repeat(MAX_BODY)],
  ["lists that end in no JSON", "/pipeline", () => `${listOf("[0]").slice(0, -2)}?]`],
  ["names of an object", "/", () => `["SET","key",${objectOf(MAX_BODY - 100)}]`],
])("10 MB of %s are refused before they become values", async (_, path, body) => {
  const [answer] = await Promise.all([ask(bridge as never, { path, body: body() }), others()]);
  expect(answer).toMatchObject({
    status: 413,
    body: {
      error: expect.stringMatching(
        /^ERR too many values in one request\. Limit: 250000, Actual: \d+$/,
      ),
    },
  });
});

const text = (character: string) => character + "x".repeat(MAX_BODY - 100);
const increments = Array.from({ length: 5_000 }, () => ["INCR", "n"]);
const members = Array.from({ length: 99_000 }, (_, i) => `${i}`.padStart(80, "y"));

test.each([
  ["texts of 10 MB", "set", "/", ["SET", "key", text("x")]],
  ["texts of 10 MB of two bytes each", "set", "/", ["SET", "key", text("\u4e00")]],
  ["commands of 99,000 arguments", "sadd", "/", ["SADD", "set", ...members]],
  ["pipelines of 5,000 commands", "incr", "/pipeline", increments],
  ["transactions of 5,000 commands", "incr", "/multi-exec", increments],
])("of 24 %s at once, those run that fit into the memory", async (_, name, path, body) => {
  const before = await callsOf(name);
  // Until Redis answers, all of them are under way.
  await admin.client("PAUSE", 1_500, "ALL" as never);
  const json = JSON.stringify(body);
  const answers = await Promise.all([
    ...Array.from({ length: 24 }, () => post(path, json)),
    others(),
  ]);
  const statuses = answers.slice(0, 24).map((answer) => answer!.join(" "));
  const run = statuses.filter((each) => each === "200").length;
  expect(run).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set(["200", "503 1 requests under way"]));
  const each = path === "/" ? 1 : body.length;
  expect((await callsOf(name)) - before).toBe(run * each);
  // All of the memory is there again.
  expect((await ask(bridge as never, ["SET", "key", text("x")])).body).toEqual({ result: "OK" });
});

async function post(path: string, body: string): Promise<readonly (string | number)[]> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(bridge.url + path, { method: "POST", headers, body });
  const answer = await response.text();
  if (response.status === 200) return [200];
  const why = /^\{"error":"ERR (requests under way) .* The command was not sent"\}$/.exec(answer);
  return [response.status, response.headers.get("retry-after") ?? "never", why?.[1] ?? answer];
}

test("clients that begin large requests and do not end them keep small ones from nothing", async () => {
  const sockets = Array.from({ length: 24 }, () => {
    const socket = connect(Number(new URL(bridge.url).port), "127.0.0.1").on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${MAX_BODY}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(MAX_BODY - 1, " "));
    return socket;
  });
  await Promise.all(sockets.map((socket) => until(() => socket.writableLength === 0)));
  await others();
  expect(await ask(bridge as never, ["SET", "key", "x".repeat(10_000)])).toEqual(result("OK"));
  for (const socket of sockets) socket.destroy();
  await until(async () => (await post("/", JSON.stringify(["SET", "key", text("x")])))[0] === 200);
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}

test("five thousand small requests on one connection do not end it", async () => {
  const socket = connect(Number(new URL(bridge.url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  // Longer than a busy machine takes to send them.
  await admin.client("PAUSE", 6_000, "ALL" as never);
  const body = JSON.stringify(["SET", "key", "x".repeat(15_000)]);
  const request = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(request.repeat(5_000));
  const statuses = new Map<string, number>();
  let answers = 0;
  let last = "";
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    last += chunk.toString("latin1");
    for (const [, status] of last.matchAll(/HTTP\/1\.1 (\d+) /g)) {
      statuses.set(status!, (statuses.get(status!) ?? 0) + 1);
      answers++;
    }
    last = /H[^H]*$/.exec(last)?.[0].slice(0, 12) ?? "";
    if (answers >= 5_000) break;
  }
  expect([...statuses.keys()].toSorted()).toEqual(["200", "503"]);
  await others();
});

test("values are counted as JSON.parse makes them", () => {
  const count = (value: unknown): number =>
    typeof value === "object" && value !== null
      ? Object.values(value).reduce((sum: number, each) => sum + count(each), 1)
      : 1;
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.nat(2), (json, indent) => {
      const value: unknown = JSON.parse(json);
      const written = JSON.stringify(value, undefined, indent);
      expect(countValues(Buffer.from(written))).toBe(count(value));
    }),
  );
  for (const [json, values] of [
    ['["\\"[,{","\\\\",[ ],{ },"]"]', 6],
    ['"unended \\', 1],
    ["[[", 3],
  ] as const) {
    expect([json, countValues(Buffer.from(json))]).toEqual([json, values]);
  }
});
