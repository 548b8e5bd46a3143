import { expect, test } from "vitest";

import { StoreError } from "../../src/options/errors.ts";
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
  ["ERR invalid token eyJhbGci.eyJzdWIi.SflKxwRJ given", "ERR invalid token (hidden) given"],
  ["ERR invalid token user:eyJhbGci,eyJzdWIi given", "ERR invalid token (hidden) given"],
  ["ERR invalid token AZlG%2ESQgN%3AzZm%2D0123 given", "ERR invalid token (hidden) given"],
  ["ERR invalid token QVpsR0FTUWdOelptLTAx== given", "ERR invalid token (hidden) given"],
  ['ERR invalid token "AZlGASQgNzZm-0123456789" given', "ERR invalid token"],
  [`ERR ${"no room ".repeat(8)} AZlGASQgNzZm-0123456789`, `ERR ${"no room ".repeat(8)} (hidden)`],
  ["", "an unknown error"],
  ["'ada'", "an unknown error"],
])("of %j, Redis's own words go on up to what may be the sender's", async ([message, words]) => {
  expect(await told(new Error(message))).toEqual([
    "ERR_STORE_REFUSED",
    `Redis answered: ${words}.`,
  ]);
});

const REJECTED = /^redis\.token: \(hidden\): Redis rejected it/;
const NO_RIGHT = /it may not run this command or use this key/;
const IN_TIME = /^Redis did not answer within the timeout\.$/;
const REFUSED = /^Redis could not be reached: ECONNREFUSED\.$/;
const UNREACHABLE = /^Redis could not be reached\.$/;
const NOT_JSON = /^What answered is not the Redis REST API: its body is not JSON\.$/;
const html = (name: string) =>
  Object.assign(new Error("Unexpected token '<', \"<html>ada\""), { name });

test.for<readonly [said: string, thrown: Error, code: string, message: RegExp]>([
  ...["WRONGPASS no", "NOAUTH no", "ERR WRONGPASS no", "Unauthorized"].map(
    (said) => [said, new Error(said), "UNAUTHORIZED", REJECTED] as const,
  ),
  ...["NOPERM no", "ERR NOPERM no"].map(
    (said) => [said, new Error(said), "UNAUTHORIZED", NO_RIGHT] as const,
  ),
  ...["TimeoutError", "AbortError"].map(
    (name) => [name, new DOMException("gone", name), "TIMEOUT", IN_TIME] as const,
  ),
  [
    "a code of no connection",
    Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }),
    "UNREACHABLE",
    REFUSED,
  ],
  [
    "a cause of no connection",
    new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } }),
    "UNREACHABLE",
    REFUSED,
  ],
  ...["UpstashJSONParseError", "SyntaxError"].map(
    (name) => [name, html(name), "REPLY", NOT_JSON] as const,
  ),
  ...["ERR Redis is not reachable", "ERR Redis went away"].map(
    (said) => [said, new Error(said), "UNREACHABLE", UNREACHABLE] as const,
  ),
])("%s is told in words of the package", async ([, thrown, code, message]) => {
  expect(await told(thrown)).toEqual([`ERR_STORE_${code}`, expect.stringMatching(message)]);
});

test("a StoreError stays the same", async () => {
  const error = new StoreError("ERR_STORE_REPLY", "no");
  expect(await storeErrorOf(error)).toBe(error);
});
