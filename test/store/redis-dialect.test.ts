import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { DECIDE_ONE, KEY_LOCKING } from "../../src/algorithms/scripts.generated.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { withOwnErrors } from "../../src/store/redis/client-errors.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { sha1For, scriptFor } from "../../src/store/redis/script.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { compile } from "../support/compile-policy.ts";

const NOSCRIPT = "NOSCRIPT No matching script. Please use EVAL.";
const FLAG = "ERR Unexpected flag in script shebang: allow-key-locking";
const policies = compile([fixedWindow({ limit: 1, window: "1d" })]);
const SHA1_PLAIN = await sha1For(scriptFor(DECIDE_ONE, policies), "");
const SHA1_KEY_LOCKING = await sha1For(scriptFor(DECIDE_ONE, policies), KEY_LOCKING);

/** A server as far as scripts go; `calls` tells what it was asked. */
function server({ knowsFlag }: { knowsFlag: boolean }) {
  const loaded = new Set<string>();
  const calls: string[] = [];
  const client: RedisClient = {
    async evalsha(sha1) {
      const dialect = sha1 === SHA1_KEY_LOCKING ? "locking" : "plain";
      calls.push(`evalsha ${dialect}`);
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
  const store = redisStore(withOwnErrors(client), ALL_SCRIPTS);
  return {
    loaded,
    async ask() {
      calls.length = 0;
      await store.decide("consume", ["k"], [1], policies);
      return [...calls];
    },
  };
}

describe("where the flag is known", () => {
  test("the script is loaded once, and then one call is enough", async () => {
    const { ask } = server({ knowsFlag: true });
    expect(await ask()).toEqual(["evalsha locking", "evalsha plain", "eval locking"]);
    expect(await ask()).toEqual(["evalsha locking"]);
  });

  test("one call is enough from the first one on where another isolate has loaded it", async () => {
    const { ask, loaded } = server({ knowsFlag: true });
    loaded.add(SHA1_KEY_LOCKING);
    expect(await ask()).toEqual(["evalsha locking"]);
  });

  test("after a flush it is loaded again", async () => {
    const { ask, loaded } = server({ knowsFlag: true });
    await ask();
    loaded.clear();
    expect(await ask()).toEqual(["evalsha locking", "eval locking"]);
  });
});

describe("where the flag is not known", () => {
  test("the plain script is loaded once, and then one call is enough", async () => {
    const { ask } = server({ knowsFlag: false });
    expect(await ask()).toEqual(["evalsha locking", "evalsha plain", "eval locking", "eval plain"]);
    expect(await ask()).toEqual(["evalsha plain"]);
  });

  test("where another isolate has loaded it, a new one finds it with its second call", async () => {
    const { ask, loaded } = server({ knowsFlag: false });
    loaded.add(SHA1_PLAIN);
    expect(await ask()).toEqual(["evalsha locking", "evalsha plain"]);
    expect(await ask()).toEqual(["evalsha plain"]);
  });
});

test("a request that ends before the script is found leaves the next one further on", async () => {
  // Every second call is cut off: far from Redis, a timeout lasts for one.
  const calls: string[] = [];
  let cut: (how: string) => void;
  const server = (answer: Error | number[], call: string) => {
    calls.push(call);
    if (calls.length % 2 !== 0) return Promise.reject(answer);
    cut("cut off");
    return new Promise<never>(() => {});
  };
  const store = redisStore({
    evalsha: (sha1) =>
      server(new Error(NOSCRIPT), `evalsha ${sha1 === SHA1_PLAIN ? "plain" : "locking"}`),
    eval: (script) =>
      script.startsWith(KEY_LOCKING)
        ? server(new Error(FLAG), "eval locking")
        : Promise.resolve([1, 1, 0, 0, 0]),
  });
  const cutOff = () =>
    Promise.race([
      new Promise((resolve) => (cut = resolve)),
      store.decide("consume", ["k"], [1], policies),
    ]);
  expect(await cutOff()).toBe("cut off");
  expect(await cutOff()).toBe("cut off");
  expect(calls).toEqual(["evalsha locking", "evalsha plain", "evalsha plain", "eval locking"]);
  expect(await cutOff()).toMatchObject({ nowUs: 1 });
});

test("where the flag is a syntax error, as before Redis 7, the plain script is taken", async () => {
  const calls: string[] = [];
  const store = redisStore({
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
  });
  await store.decide("consume", ["k"], [1], policies);
  expect(calls).toEqual(["#!lua", "local"]);
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

test("what is told of Redis's own error ends where it may quote what the client sent", async () => {
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
