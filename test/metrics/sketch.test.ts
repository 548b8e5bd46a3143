import { expect, test } from "vitest";

import { createSketch } from "../../src/metrics/sketch.ts";
import { runs } from "../support/runs.ts";
import { zipf } from "./zipf.ts";

const SIZE = 64;

test.each([0.8, 1, 1.2, 1.5])(
  "on Zipf traffic of skew %f no count is above the truth, and none below it by more than a 64th of all",
  (skew) => {
    for (let run = 0; run < runs(10); run++) {
      const draw = zipf(20_000, skew, run);
      const truth = new Map<string, number>();
      const sketch = createSketch(SIZE);
      const total = 20_000;
      for (let i = 0; i < total; i++) {
        const client = `ip:192.0.2.${draw()}`;
        truth.set(client, (truth.get(client) ?? 0) + 1);
        sketch.add("api", client);
      }
      const found = new Map(sketch.take(SIZE).map((heavy) => [heavy.identity, heavy]));
      for (const [client, times] of truth) {
        const { count = 0, error = 0 } = found.get(client) ?? {};
        expect(count).toBeLessThanOrEqual(times);
        expect(times - count).toBeLessThanOrEqual(total / SIZE);
        if (found.has(client)) expect(count + error).toBeGreaterThanOrEqual(times);
      }
      const heavy = [...truth].filter(([, times]) => times > total / SIZE);
      for (const [client] of heavy) expect(found.has(client)).toBe(true);
    }
  },
);

test("up to 64 partitions are counted exactly, each policy by itself, the most frequent first", () => {
  const sketch = createSketch(SIZE);
  for (let client = 0; client < SIZE / 2; client++) {
    for (let i = 0; i <= client; i++) {
      sketch.add("minute", `ip:${client}`);
      if (i > 0) sketch.add("day", `ip:${client}`);
    }
  }
  sketch.add("day", "ip:0");
  const found = sketch.take(3);
  const [first, ...others] = found.map(
    ({ policy, identity, count }) => `${policy} ${identity} ${count}`,
  );
  expect(first).toBe("minute ip:31 32");
  expect(others.sort()).toEqual(["day ip:31 31", "minute ip:30 31"]);
  expect(found.every(({ error }) => error === 0)).toBe(true);
  expect(sketch.take(3)).toEqual([]);
});

test("identities that end alike are told apart", () => {
  const sketch = createSketch(4);
  const end = "x".repeat(8_000);
  sketch.add("api", `a${end}`);
  sketch.add("api", `b${end}`);
  expect(sketch.take(4)).toHaveLength(2);
});

test("a partition that takes the place of another has no end of the other's key", () => {
  const sketch = createSketch(1);
  const key = "x-api-key:digest";
  sketch.add("api", key, new Headers({ "x-api-key": "sk_live_0123456789abcd9f3a" }));
  sketch.add("api", "ip:192.0.2.1", new Headers());
  sketch.add("api", "ip:192.0.2.1", new Headers());
  expect(sketch.take(1)).toMatchObject([{ identity: "ip:192.0.2.1", hint: undefined }]);
  sketch.add("api", key, new Headers({ "x-api-key": "sk_live_0123456789abcdWXYZ" }));
  expect(sketch.take(1)).toMatchObject([{ identity: key, hint: "WXYZ" }]);
});
