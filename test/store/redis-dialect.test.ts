import { expect, onTestFinished, test, vi } from "vitest";

import { DECIDE_ONE, KEY_LOCKING } from "../../src/algorithms/scripts.generated.ts";
import { createLimiter, fixedWindow } from "../../src/index.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { withOwnErrors } from "../../src/store/redis/client-errors.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { dialectAt } from "../../src/store/redis/dialect.ts";
import { sha1For, scriptFor } from "../../src/store/redis/script.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { compile } from "../support/compile-policy.ts";

const NOSCRIPT = "NOSCRIPT No matching script. Please use EVAL.";
const FLAG = "ERR Unexpected flag in script shebang: allow-key-locking";
const policies = compile([fixedWindow({ limit: 1, window: "1d" })]);
const SHA1_KEY_LOCKING = await sha1For(scriptFor(DECIDE_ONE, policies), KEY_LOCKING);

/** A server that is taken for Upstash and does not know the flag, and its calls. */
function expectedToLock() {
  let isLoaded = false;
  const calls: string[] = [];
  const spelling = (isLocking: boolean) => (isLocking ? "locking" : "plain");
  const client: RedisClient = {
    async evalsha(sha1) {
      calls.push(`evalsha ${spelling(sha1 === SHA1_KEY_LOCKING)}`);
      if (sha1 === SHA1_KEY_LOCKING || !isLoaded) throw new Error(NOSCRIPT);
      return [1, 1, 0, 0, 0];
    },
    async eval(script) {
      const isLocking = script.startsWith(KEY_LOCKING);
      calls.push(`eval ${spelling(isLocking)}`);
      if (isLocking) throw new Error(FLAG);
      isLoaded = true;
      return [1, 1, 0, 0, 0];
    },
  };
  const store = redisStore(withOwnErrors(client), ALL_SCRIPTS, dialectAt("", "upstash"));
  return {
    calls,
    async ask() {
      const before = calls.length;
      await store.decide("consume", ["k"], [1], policies);
      return calls.slice(before);
    },
  };
}

test("where the flag is not known, though it was expected, requests at the same time run once each, and all know afterwards", async () => {
  const { ask, calls } = expectedToLock();
  await Promise.all([ask(), ask(), ask()]);
  expect(calls.length).toBeLessThanOrEqual(12);
  expect(await ask()).toEqual(["evalsha plain"]);
});

test("a script that is missing is sent in the dialect that this answer told", async () => {
  const dialect = dialectAt("https://redis.example");
  const calls: string[] = [];
  const client: RedisClient = {
    async evalsha(sha1) {
      calls.push(`evalsha ${sha1 === SHA1_KEY_LOCKING ? "locking" : "plain"}`);
      if (calls.length > 1) return [1, 1, 0, 0, 0];
      // As the transport does that sees the answer's header fields.
      dialect.firstLine = KEY_LOCKING;
      throw new Error(NOSCRIPT);
    },
    async eval(script) {
      calls.push(`eval ${script.startsWith(KEY_LOCKING) ? "locking" : "plain"}`);
      return [1, 1, 0, 0, 0];
    },
  };
  const store = redisStore(client, {}, dialect);
  for (let i = 0; i < 2; i++) await store.decide("consume", ["k"], [1], policies);
  expect(calls).toEqual(["evalsha plain", "eval locking", "evalsha locking"]);
});

/** The failure of a decision whose every call throws this, and how many calls there were. */
async function failureOf(thrown: unknown) {
  let calls = 0;
  const refuse = async () => {
    calls++;
    throw thrown;
  };
  const store = redisStore(withOwnErrors({ evalsha: refuse, eval: refuse }));
  const decided = Promise.resolve(store.decide("consume", ["tg:{secret}:p"], [1], policies));
  const failure = await decided.catch((error: unknown) => error as Error);
  return { failure, calls };
}

test("a server that refuses any first line is not asked for ever", async () => {
  const { failure, calls } = await failureOf(new Error(FLAG));
  expect(failure).toMatchObject({ code: "ERR_STORE_REFUSED" });
  expect(calls).toBe(2);
});

test("where the flag is a syntax error, as before Redis 7, the plain script is taken", async () => {
  const calls: string[] = [];
  const client: RedisClient = {
    evalsha: async () => Promise.reject(new Error(NOSCRIPT)),
    async eval(script) {
      calls.push(script.slice(0, 5));
      if (script.startsWith("#!")) {
        throw new Error(
          "ERR Error compiling script (new function): user_script:1: unexpected symbol near '#'",
        );
      }
      return [1, 1, 0, 0, 0];
    },
  };
  const store = redisStore(client, {}, dialectAt("", "upstash"));
  await store.decide("consume", ["k"], [1], policies);
  expect(calls).toEqual(["#!lua", "local"]);
});

test.for([
  ["https://eu1-cool-cat-12345.upstash.io", "upstash"],
  ["https://EU1-cool.UPSTASH.IO:443/", "upstash"],
  ["https://pretty-fish.kv.vercel-storage.com", "upstash"],
  ["https://cool.upstash.io/base", "upstash"],
  ["https://redis.example/base.upstash.io/", "redis"],
  ["https://upstash.io.example", "redis"],
  ["https://cool.upstash.io.example", "redis"],
  ["https://notupstash.io", "redis"],
  ["https://upstash-io.example", "redis"],
  ["https://kv.vercel-storage.com.example", "redis"],
  ["http://127.0.0.1:8079", "redis"],
] as const)("the address %s tells that it is %s", ([url, name]) => {
  expect(dialectAt(url)).toEqual(dialectAt("", name));
  expect(dialectAt(url, "upstash")).toEqual({ firstLine: KEY_LOCKING });
  expect(dialectAt(url, "redis")).toEqual({ firstLine: "" });
});

/** Errors after which the script may have run: asking again could charge twice. */
const uncertain: [string, unknown, string][] = [
  ["a timeout", new DOMException("signal timed out", "TimeoutError"), "ERR_STORE_TIMEOUT"],
  ["a broken connection", new TypeError("fetch failed"), "ERR_STORE_UNREACHABLE"],
  [
    "an error page",
    Object.assign(new Error("Unable to parse response body: <html>NOSCRIPT"), {
      name: "UpstashJSONParseError",
    }),
    "ERR_STORE_REPLY",
  ],
  ["a refused token", new Error("WRONGPASS invalid token"), "ERR_STORE_UNAUTHORIZED"],
  ["something thrown that is no error", "oops", "ERR_STORE_REFUSED"],
  ...[
    "OOM command not allowed when used memory > 'maxmemory'.",
    // NOSCRIPT is of the client, or no word of its own, or not the first.
    'Command failed: ERR no, command was: ["evalsha","..","1","tg:{secret}: NOSCRIPT"]',
    "ERR wrong type of key {a: NOSCRIPT}:p",
    "NOSCRIPTS are nothing",
    "ERR NOSCRIPT is not the first word",
  ].map((words): [string, unknown, string] => [words, new Error(words), "ERR_STORE_REFUSED"]),
];

test.for(uncertain)("%s is told as it is, and not tried again", async ([, error, code]) => {
  const { failure, calls } = await failureOf(error);
  expect(failure).toMatchObject({ name: "StoreError", code });
  expect(String((failure as Error).stack)).not.toMatch(/secret|tg:/);
  expect(calls).toBe(1);
});

test.for([
  ["nothing", "consume", null],
  ["text", "consume", "OK"],
  ["an empty list", "consume", []],
  ["a row too few", "consume", [1]],
  ["a number too few", "consume", [1, 1, 0, 0]],
  ["a row too many", "consume", [1, 1, 0, 0, 0, 1, 0, 0, 0]],
  ["text in a row", "consume", [1, "1", 0, 0, 0]],
  ["a fraction", "consume", [1, 1, 0.5, 0, 0]],
  ["a missing number", "consume", [1, 1, null, 0, 0]],
  ["a lease without its size", "lease", [1, 1, 0, 0, 0]],
  ["a size where nothing was leased", "consume", [1, 1, 0, 0, 0, 1]],
] as const)("%s is no answer to a %s", async ([, operation, reply]) => {
  const store = redisStore({ evalsha: async () => reply, eval: async () => reply }, ALL_SCRIPTS);
  await expect(store.decide(operation, ["k"], [1], policies)).rejects.toMatchObject({
    code: "ERR_STORE_REPLY",
  });
});

test("a server that says it is Upstash and rejects its scripts is believed once", async () => {
  const scripts: string[] = [];
  const headers = { "upstash-sync-token": "no" };
  vi.stubGlobal("fetch", async (_url: string, { body }: RequestInit) => {
    const [command, script] = JSON.parse(body as string) as [string, string];
    if (command === "EVALSHA") {
      return Response.json({ error: "NOSCRIPT No matching script." }, { status: 400, headers });
    }
    scripts.push(script.slice(0, 5));
    return script.startsWith("#!")
      ? Response.json({ error: "ERR Unexpected flag in script shebang" }, { status: 400, headers })
      : Response.json({ result: [1, 1, 8, 0, 0] }, { headers });
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const limiter = createLimiter({
    redis: { url: "https://redis.example", token: "t" },
    policies: [fixedWindow({ limit: 9, window: "1h" })],
  });
  for (let request = 0; request < 3; request++) {
    expect(await limiter.limit("ada")).toMatchObject({ reason: "allowed" });
  }
  expect(scripts).toEqual(["#!lua", "local", "local", "local"]);
});
