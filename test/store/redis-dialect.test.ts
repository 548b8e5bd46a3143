import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { DECIDE_ONE, KEY_LOCKING } from "../../src/algorithms/scripts.generated.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { withOwnErrors } from "../../src/store/redis/client-errors.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { dialectAt, type DialectName } from "../../src/store/redis/dialect.ts";
import { sha1For, scriptFor } from "../../src/store/redis/script.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { compile } from "../support/compile-policy.ts";

const NOSCRIPT = "NOSCRIPT No matching script. Please use EVAL.";
const FLAG = "ERR Unexpected flag in script shebang: allow-key-locking";
const policies = compile([fixedWindow({ limit: 1, window: "1d" })]);
const SHA1_PLAIN = await sha1For(scriptFor(DECIDE_ONE, policies), "");
const SHA1_KEY_LOCKING = await sha1For(scriptFor(DECIDE_ONE, policies), KEY_LOCKING);

/** A server as far as scripts go; `calls` has its calls. */
function server({ knowsFlag, dialect }: { knowsFlag: boolean; dialect: DialectName }) {
  const loaded = new Set<string>();
  const calls: string[] = [];
  const client: RedisClient = {
    async evalsha(sha1) {
      calls.push(`evalsha ${sha1 === SHA1_KEY_LOCKING ? "locking" : "plain"}`);
      if (!loaded.has(sha1)) throw new Error(NOSCRIPT);
      return [1, 1, 0, 0, 0];
    },
    async eval(script) {
      const locking = script.startsWith(KEY_LOCKING);
      calls.push(`eval ${locking ? "locking" : "plain"}`);
      if (locking && !knowsFlag) throw new Error(FLAG);
      loaded.add(locking ? SHA1_KEY_LOCKING : SHA1_PLAIN);
      return [1, 1, 0, 0, 0];
    },
  };
  const store = redisStore(withOwnErrors(client), ALL_SCRIPTS, dialectAt("", dialect));
  return {
    loaded,
    calls,
    async ask() {
      const before = calls.length;
      await store.decide("consume", ["k"], [1], policies);
      return calls.slice(before);
    },
  };
}

describe.each([
  ["Upstash", { knowsFlag: true, dialect: "upstash" }, "locking", SHA1_KEY_LOCKING],
  ["stock Redis", { knowsFlag: false, dialect: "redis" }, "plain", SHA1_PLAIN],
] as const)("on %s, as expected", (_, given, spelling, sha1) => {
  test("the script is loaded once, and then one call is enough", async () => {
    const { ask } = server(given);
    expect(await ask()).toEqual([`evalsha ${spelling}`, `eval ${spelling}`]);
    expect(await ask()).toEqual([`evalsha ${spelling}`]);
  });

  test("one call is enough from the first one on where another isolate has loaded it", async () => {
    const { ask, loaded } = server(given);
    loaded.add(sha1);
    expect(await ask()).toEqual([`evalsha ${spelling}`]);
  });

  test("after a flush it is loaded again", async () => {
    const { ask, loaded } = server(given);
    await ask();
    loaded.clear();
    expect(await ask()).toEqual([`evalsha ${spelling}`, `eval ${spelling}`]);
  });
});

describe("where the flag is not known, though it was expected", () => {
  test("the plain script is taken instead, once and for all", async () => {
    const { ask, loaded } = server({ knowsFlag: false, dialect: "upstash" });
    expect(await ask()).toEqual(["evalsha locking", "eval locking", "evalsha plain", "eval plain"]);
    expect(await ask()).toEqual(["evalsha plain"]);
    loaded.clear();
    expect(await ask()).toEqual(["evalsha plain", "eval plain"]);
  });

  test("requests at the same time run once each, and all know afterwards", async () => {
    const { ask, calls } = server({ knowsFlag: false, dialect: "upstash" });
    await Promise.all([ask(), ask(), ask()]);
    expect(calls.length).toBeLessThanOrEqual(12);
    expect(await ask()).toEqual(["evalsha plain"]);
  });
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

test("a server that refuses any first line is not asked for ever", async () => {
  let calls = 0;
  const refuse = async () => {
    calls++;
    throw new Error(FLAG);
  };
  const store = redisStore(withOwnErrors({ evalsha: refuse, eval: refuse }));
  await expect(
    Promise.resolve(store.decide("consume", ["k"], [1], policies)),
  ).rejects.toMatchObject({ code: "ERR_STORE_REFUSED" });
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

describe("the address tells", () => {
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
  ] as const)("%s is %s", ([url, name]) => {
    expect(dialectAt(url)).toEqual(dialectAt("", name));
    expect(dialectAt(url, "upstash")).toEqual({ firstLine: KEY_LOCKING });
    expect(dialectAt(url, "redis")).toEqual({ firstLine: "" });
  });
});

/** Errors after which the script may have run: asking again could charge twice. */
const uncertain: [string, unknown, string][] = [
  ["a timeout", new DOMException("signal timed out", "TimeoutError"), "ERR_STORE_TIMEOUT"],
  ["an abort", new DOMException("aborted", "AbortError"), "ERR_STORE_TIMEOUT"],
  ["a broken connection", new TypeError("fetch failed"), "ERR_STORE_UNREACHABLE"],
  [
    "an error of Redis",
    new Error("OOM command not allowed when used memory > 'maxmemory'."),
    "ERR_STORE_REFUSED",
  ],
  [
    "an error page",
    Object.assign(new Error("Unable to parse response body: <html>NOSCRIPT"), {
      name: "UpstashJSONParseError",
    }),
    "ERR_STORE_REPLY",
  ],
  [
    "a refused token",
    new Error("WRONGPASS invalid or missing auth token"),
    "ERR_STORE_UNAUTHORIZED",
  ],
  [
    "an identity that reads NOSCRIPT",
    new Error('ERR internal, command was: ["evalsha","..","1","tg:{NOSCRIPT}:p"]'),
    "ERR_STORE_REFUSED",
  ],
  ["something thrown that is no error", "oops", "ERR_STORE_REFUSED"],
];

test.for(uncertain)("%s is told as it is, and not tried again", async ([, error, code]) => {
  let calls = 0;
  const refuse = async () => {
    calls++;
    throw error;
  };
  const store = redisStore(withOwnErrors({ evalsha: refuse, eval: refuse }));
  const failure = await Promise.resolve(
    store.decide("consume", ["tg:{secret}:p"], [1], policies),
  ).catch((thrown: unknown) => thrown);
  expect(failure).toMatchObject({ name: "StoreError", code });
  expect(String((failure as Error).stack)).not.toMatch(/secret|tg:/);
  expect(calls).toBe(1);
});

test("the quoted part of Redis's own error ends before any text of the client", async () => {
  const refuse = async () => {
    throw new Error('ERR internal, command was: ["evalsha","..","1","tg:{fetch failed}:p"]');
  };
  const store = redisStore(withOwnErrors({ evalsha: refuse, eval: refuse }));
  await expect(store.decide("consume", ["k"], [1], policies)).rejects.toMatchObject({
    code: "ERR_STORE_REFUSED",
    message: "Redis answered: ERR internal.",
  });
});

test.for([
  ["nothing", null],
  ["text", "OK"],
  ["a row too few", [1]],
  ["a row too many", [1, 1, 0, 0, 0, 1, 0, 0, 0]],
  ["text in a row", [1, "1", 0, 0, 0]],
  ["a fraction", [1, 1, 0.5, 0, 0]],
  ["a missing number", [1, 1, null, 0, 0]],
])("%s is no answer", async ([, reply]) => {
  const store = redisStore({ evalsha: async () => reply, eval: async () => reply });
  await expect(store.decide("consume", ["k"], [1], policies)).rejects.toMatchObject({
    code: "ERR_STORE_REPLY",
  });
});

test.for([
  ["a lease without its size", "lease", [1, 1, 0, 0, 0]],
  ["a size where nothing was leased", "consume", [1, 1, 0, 0, 0, 1]],
] as const)("%s is no answer", async ([, operation, reply]) => {
  const store = redisStore({ evalsha: async () => reply, eval: async () => reply }, ALL_SCRIPTS);
  await expect(store.decide(operation, ["k"], [1], policies)).rejects.toMatchObject({
    code: "ERR_STORE_REPLY",
  });
});
