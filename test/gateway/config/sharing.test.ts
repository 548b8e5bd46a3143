import { expect, test, vi } from "vitest";

import { shareDenials } from "../../../src/index.ts";
import { useFetched } from "../fetched.ts";

const { gateway } = useFetched();

/** The names under which a gateway with these variables shares its denials. */
function namesOf(variables: object): unknown[][] {
  const coloDenials = vi.fn(() => shareDenials({ get: async () => undefined, put: () => {} }));
  gateway(variables, { coloDenials });
  return coloDenials.mock.calls;
}

const kv = { KV_REST_API_URL: "https://kv.example", KV_REST_API_TOKEN: "secret" };

// Denials of one Redis are about other counts than those of another one.
test.each([
  [{}, "https://redis.example"],
  [kv, "https://redis.example"],
  [{ ...kv, UPSTASH_REDIS_REST_URL: undefined }, "https://kv.example"],
  [{ ...kv, UPSTASH_REDIS_REST_URL: "" }, "https://kv.example"],
])("denials are shared under the address of the Redis that is asked: %j", (variables, name) => {
  expect(namesOf({ SHARED_DENIALS: "colo", ...variables })).toEqual([[name]]);
  expect(namesOf(variables)).toEqual([[name]]);
});

// Other writers of the zone's cache, such as another worker, must not guess the names of the rules.
test("live rules are shared under a name that only holders of Redis's token know", () => {
  const coloCache = vi.fn(() => ({ get: async () => undefined, put: () => {} }));
  const live = { LIVE_REFRESH: "10s" };
  gateway(live, { coloCache });
  gateway({ ...live, UPSTASH_REDIS_REST_TOKEN: "other" }, { coloCache });
  const [[one], [other]] = coloCache.mock.calls as unknown as [[string], [string]];
  expect(one).toContain("https://redis.example");
  expect(one).not.toBe("https://redis.example");
  expect(one).not.toBe(other);
});

test.each([{ SHARED_DENIALS: "none" }, { STORE: "memory" }])("%j shares nothing", (variables) => {
  expect(namesOf(variables)).toEqual([]);
});

test("a platform without a cache shares nothing, and is not at fault", () => {
  expect(() => gateway({}, {})).not.toThrow();
});
