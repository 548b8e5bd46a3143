import { expect, test, vi } from "vitest";

import { shareDenials } from "../../src/index.ts";
import { useFetched } from "../support/gateway/fetched.ts";

const { gateway } = useFetched();

/** Under which name a gateway with these variables shares its denials. */
function nameOf(variables: object): unknown {
  const coloDenials = vi.fn(() => shareDenials({ get: async () => undefined, put: () => {} }));
  gateway({ SHARED_DENIALS: "colo", ...variables }, { coloDenials });
  expect(coloDenials).toHaveBeenCalledTimes(1);
  return (coloDenials.mock.calls as unknown[][])[0];
}

const kv = { KV_REST_API_URL: "https://kv.example", KV_REST_API_TOKEN: "secret" };

// Denials of one Redis are about other counts than those of another one.
test.each([
  [{}, "https://redis.example"],
  [kv, "https://redis.example"],
  [{ ...kv, UPSTASH_REDIS_REST_URL: undefined }, "https://kv.example"],
  [{ ...kv, UPSTASH_REDIS_REST_URL: "" }, "https://kv.example"],
])("denials are shared under the address of the Redis that is asked: %j", (variables, name) => {
  expect(nameOf(variables)).toEqual([name]);
});

test("nothing is shared where nobody asks for it", () => {
  const coloDenials = vi.fn();
  gateway({}, { coloDenials });
  expect(coloDenials).not.toHaveBeenCalled();
});
