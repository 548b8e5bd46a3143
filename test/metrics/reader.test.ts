import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test, vi } from "vitest";

import { metricsKeys } from "../../src/store/redis/redis-metrics.ts";
import { metricsReaderOf } from "../support/metrics/metrics-reader-of.ts";

const MORNING = Date.UTC(2031, 0, 1, 9);

test("many calls read the whole, and no reply is much larger than a megabyte", async () => {
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const endpoint = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
  const prefix = crypto.randomUUID();
  const keys = metricsKeys(prefix);
  const RULES = 1_500;
  const rules = Array.from({ length: RULES }, (_, i) => [`ra${"x".repeat(200)}${i}`, 1] as const);
  for (let i = 0; i < 6; i++) {
    await redis.hset(keys.minute(MORNING + i * 60_000), Object.fromEntries(rules));
  }
  const { fetch } = globalThis;
  const sizes: number[] = [];
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
    const response = await fetch(...asked);
    sizes.push((await response.clone().text()).length);
    return response;
  });
  const span = { fromMs: MORNING, toMs: MORNING + 3_600_000 };
  const { requests } = await metricsReaderOf(endpoint, prefix).stats("minute", span);
  fetched.mockRestore();
  const expected = Array.from({ length: 60 }, (_, minute) => (minute < 6 ? 1 : 0));
  expect(requests.map(({ counts }) => counts)).toEqual(rules.map(() => expected));
  // Three of these hashes fit into a reply; the others are empty.
  expect(sizes.filter((size) => size > 10_000)).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThan(1_050_000);
});
