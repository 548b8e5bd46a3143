import { expect, test } from "vitest";

import { createNearest } from "../../src/gateway/config/nearest.ts";
import { openRegions } from "../../src/gateway/config/open-regions.ts";
import { Faults } from "../../src/options/faults.ts";
import type { Store } from "../../src/store/store.ts";

test("health asks home once, however many stores are nearby, and each of them", async () => {
  let asked = 0;
  const home = {
    take: () => Promise.reject(new Error("not asked")),
    inspect: async () => ({ store: "redis", version: `the answer ${++asked}` }),
  } as unknown as Store;
  // Nothing listens there.
  const redis = { url: "http://127.0.0.1:1", token: "t" };
  const variables = { url: "url", token: "token" };
  const stores = ["fra", "gru", "iad"].map((name) => ({ name, redis, variables }));
  const nearest = createNearest([
    [50, 8],
    [-23, -46],
    [39, -77],
  ]);
  const parts = { openObjects: undefined, note: undefined, prefix: "tg", timeoutMs: 1_000 };
  const store = openRegions(home, { stores, regions: 3, nearest }, {}, parts, new Faults())!;
  expect(await store.inspect!()).toEqual({
    store: "redis",
    version: "the answer 1",
    regions: stores.map(({ name }) => ({ name, code: "ERR_STORE_UNREACHABLE" })),
  });
  expect(asked).toBe(1);
});
