import { expect, test } from "vitest";

import { StoreError } from "../../src/errors/errors.ts";
import { withOwnErrors } from "../../src/store/redis/client-errors.ts";
import { storeError } from "../../src/store/redis/errors.ts";

/** The StoreError of a store whose given client throws this. */
async function storeErrorOf(error: unknown): Promise<StoreError> {
  const fail = async () => {
    throw error;
  };
  const client = withOwnErrors({ evalsha: fail, eval: fail });
  try {
    await client.eval("", [], []);
  } catch (thrown) {
    return storeError(thrown);
  }
  throw new Error("it did not fail");
}

async function told(error: unknown) {
  const { code, message } = await storeErrorOf(error);
  return [code, message];
}

test.for([
  ["ERR max number of clients reached", "ERR max number of clients reached"],
  ["MISCONF Redis is read-only", "MISCONF Redis is read-only"],
  ["ERR value 'k:{ada}' is wrong", "ERR value"],
  ['ERR value "ada" is wrong', "ERR value"],
  ["ERR value `ada` is wrong", "ERR value"],
  ["ERR value (ada) is wrong", "ERR value"],
  ["ERR value [ada] is wrong", "ERR value"],
  ["ERR value {ada} is wrong", "ERR value"],
  ["ERR value <ada> is wrong", "ERR value"],
  ["ERR no, command was: [ada]", "ERR no"],
  ["Command failed: ERR no", "ERR no"],
  ["Command 1 [ evalsha ] failed: ERR no", "ERR no"],
  [`ERR ${"no room ".repeat(30)}`, `ERR ${"no room ".repeat(30)}`.slice(0, 80).trim()],
  ["ERR invalid token AZlGASQgNzZm-0123456789 given", "ERR invalid token (hidden) given"],
  ["", "an unknown error"],
  ["'ada'", "an unknown error"],
])("of %j, Redis's own words go on up to what may be the sender's", async ([message, words]) => {
  expect(await told(new Error(message))).toEqual([
    "ERR_STORE_REFUSED",
    `Redis answered: ${words}.`,
  ]);
});

test.for(["WRONGPASS no", "NOAUTH no", "ERR WRONGPASS no", "Unauthorized"])(
  "%s is a refused token, which is not shown",
  async (message) => {
    expect(await told(new Error(message))).toEqual([
      "ERR_STORE_UNAUTHORIZED",
      expect.stringMatching(/^redis\.token: \(hidden\): Redis rejected it/),
    ]);
  },
);

test.for(["NOPERM no", "ERR NOPERM no"])("%s is a right that is missing", async (message) => {
  expect(await told(new Error(message))).toEqual([
    "ERR_STORE_UNAUTHORIZED",
    expect.stringMatching(/it may not run this command or use this key/),
  ]);
});

test.for(["TimeoutError", "AbortError"])(
  "a client's %s is that there was no answer in time",
  async (name) => {
    expect(await told(new DOMException("gone", name))).toEqual([
      "ERR_STORE_TIMEOUT",
      "Redis did not answer within the timeout.",
    ]);
  },
);

test.for([
  Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }),
  new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }),
])("why there is no connection is said, by the error or by its cause: %s", async (error) => {
  expect(await told(error)).toEqual([
    "ERR_STORE_UNREACHABLE",
    "Redis could not be reached: ECONNREFUSED.",
  ]);
});

test.for(["UpstashJSONParseError", "SyntaxError"])(
  "a client's %s is that something else answered",
  async (name) => {
    const error = Object.assign(new Error("Unexpected token '<', \"<html>ada\""), { name });
    expect(await told(error)).toEqual([
      "ERR_STORE_REPLY",
      "What answered is not the Redis REST API: its body is not JSON.",
    ]);
  },
);

test("a StoreError stays the same", async () => {
  const error = new StoreError("ERR_STORE_REPLY", "no");
  expect(await storeErrorOf(error)).toBe(error);
});

test.for(["ERR Redis is not reachable", "ERR Redis went away"])(
  "a bridge's %j is that Redis could not be reached",
  async (message) => {
    expect(await told(new Error(message))).toEqual([
      "ERR_STORE_UNREACHABLE",
      "Redis could not be reached.",
    ]);
  },
);
