import { describe, expect, inject, test } from "vitest";

import { keptMetrics } from "../../src/store/kept-metrics.ts";
import { HOUR_MS, MINUTE_MS, SETS } from "../../src/store/metrics-store.ts";
import { redisMetrics } from "../../src/store/redis/redis-metrics.ts";
import { restSender } from "../../src/store/redis/rest.ts";
import { keptValues } from "../support/store/kept-values.ts";
import { metricsContract } from "./metrics-contract.ts";

describe("metrics in Redis", () => {
  metricsContract(() => {
    const redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
    return redisMetrics(redis, crypto.randomUUID(), restSender(redis, 10_000), () => {});
  });
});

describe("metrics in memory", () => {
  metricsContract(() => {
    const kept = keptMetrics(keptValues(), () => Date.now());
    return {
      add: async (batch) => kept.add(batch),
      read: async (...asked) => kept.read(...asked),
    };
  });

  test("minutes and partitions are kept for a day, hours for a month, an isolate's last batch for two hours, the total for ever", () => {
    const values = keptValues();
    const clock = { ms: Date.UTC(2031, 0, 1, 9) };
    const first = clock.ms;
    const kept = keptMetrics(values, () => clock.ms);
    let number = 0;
    const addAt = (ms: number) => {
      clock.ms = ms;
      const minutes = [{ minute: ms / MINUTE_MS, counts: [["c", 1]] as const }];
      const tops = { denied: [["api ip:a", 1]] as const, near: [["api ip:a", 1]] as const };
      kept.add({ isolate: `isolate ${++number}`, number: 1, minutes, tops, atMs: ms });
    };
    const isThere = () =>
      [
        SETS.isolate("isolate 1"),
        SETS.minute(first),
        SETS.top("denied", first),
        SETS.top("near", first),
        SETS.hour(first),
        SETS.total,
      ].map((set) => values.get(set) !== undefined);
    addAt(first);
    addAt(first + 2 * HOUR_MS);
    expect(isThere()).toEqual([true, true, true, true, true, true]);
    addAt(first + 3 * HOUR_MS);
    expect(isThere()).toEqual([false, true, true, true, true, true]);
    addAt(first + 24 * HOUR_MS);
    expect(isThere()).toEqual([false, true, true, true, true, true]);
    addAt(first + 25 * HOUR_MS);
    expect(isThere()).toEqual([false, false, false, false, true, true]);
    addAt(first + 31 * 24 * HOUR_MS);
    expect(isThere()).toEqual([false, false, false, false, true, true]);
    addAt(first + (31 * 24 + 1) * HOUR_MS);
    expect(isThere()).toEqual([false, false, false, false, false, true]);
    expect(kept.read("hashes", [SETS.total], [])[0]!.get("c")).toBe(number);
  });

  test("a batch is at most six rows: its minute, its hour, the total, two of partitions, and its number", () => {
    const written: string[] = [];
    const values = keptValues();
    const put = (name: string, value: unknown) => {
      written.push(name);
      values.put(name, value);
    };
    const kept = keptMetrics({ ...values, put }, () => Date.now());
    const counts = [["c", 1]] as const;
    const top = [["api ip:a", 1]] as const;
    const minutes = [{ minute: 32_000_000, counts }];
    kept.add({ isolate: "one", number: 1, minutes, tops: { denied: top, near: top }, atMs: 0 });
    expect(written).toHaveLength(6);
  });

  test("the total tells 5,000 fields apart", () => {
    const kept = keptMetrics(keptValues(), () => Date.now());
    for (let i = 0; i < 3; i++) {
      const counts = Array.from({ length: 2_000 }, (_, j) => [`r${i * 2_000 + j}`, 1] as const);
      const minutes = [{ minute: 32_000_000 + i, counts }];
      kept.add({ isolate: "one", number: i + 1, minutes, tops: { denied: [], near: [] }, atMs: 0 });
    }
    const [total] = kept.read("hashes", [SETS.total], []);
    expect([total!.size, total!.get("o")]).toEqual([5_001, 1_000]);
  });
});
