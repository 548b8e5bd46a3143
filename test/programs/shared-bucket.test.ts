import { afterAll, beforeAll, expect, inject, test } from "vitest";

import { ANY_DEBT, sharedBucket } from "../../bench/benchmark/distance/buckets.ts";
import { LIMIT, TOKEN } from "../../bench/benchmark/distance/names.ts";
import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";

let bridge: Bridge;
beforeAll(async () => {
  bridge = await startBridge({ redis: inject("redisUrl"), port: 0, token: TOKEN });
});
afterAll(() => bridge.close());

const open = (lowest: number) =>
  sharedBucket({ url: bridge.url, run: crypto.randomUUID() }, lowest);

test("a unit is taken from the shared bucket only if it is wanted", async () => {
  const bucket = open(0);
  expect(await bucket("taken", { spent: 0, wanted: 1 })).toEqual({
    allowed: true,
    level: LIMIT - 1,
  });
  expect(await bucket("reported", { spent: 3, wanted: 0 })).toEqual({
    allowed: true,
    level: LIMIT - 3,
  });
});

test("units that isolates have admitted are counted, whether there is room or not", async () => {
  const report = { spent: LIMIT + 5, wanted: 1 } as const;
  expect(await open(ANY_DEBT)("debtor", report)).toEqual({ allowed: false, level: -5 });
  expect(await open(0)("forgiven", report)).toEqual({ allowed: false, level: 0 });
});
