import { expect, test } from "vitest";

import { readConfig } from "../../src/gateway/config/config.ts";
import { type AnalyticsDataset, analyticsWriter } from "../../src/metrics/analytics.ts";
import { codeOf } from "../../src/metrics/fields.ts";
import { metrics } from "../../src/metrics/metrics.ts";
import { ALLOWED, LIMITED } from "../../src/metrics/outcomes.ts";
import { quota } from "../support/gateway/gateway.ts";
import { meteredGateways, requestsOf } from "../support/metrics/metered-gateway.ts";

type Point = Parameters<AnalyticsDataset["writeDataPoint"]>[0];

/** A dataset that refuses what Cloudflare would drop in silence. */
function startDataset(fails = () => false) {
  const points: Point[] = [];
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const dataset: AnalyticsDataset = {
    writeDataPoint(point) {
      if (fails()) throw new Error("no room");
      expect(point.indexes).toHaveLength(1);
      expect(bytes(point.indexes[0])).toBeLessThanOrEqual(96);
      expect(point.blobs.length).toBeLessThanOrEqual(20);
      expect(bytes(point.blobs.join(""))).toBeLessThanOrEqual(5_120);
      expect(point.doubles.length).toBeLessThanOrEqual(20);
      points.push(point);
    },
  };
  return { dataset, points };
}

const field = (outcome: number, rule: string) => `r${codeOf(outcome)}${rule}`;

test("a flush writes one data point for each rule and outcome, and the sums are those of Redis", async () => {
  const { dataset, points } = startDataset();
  const gateways = await meteredGateways(
    [
      { path: "/a/*", policies: [quota("a", 5)] },
      { path: "/b/*", policies: [quota("b", 50)] },
    ],
    { ANALYTICS: dataset },
  );
  const isolates = [gateways.open(), gateways.open()];
  for (let round = 0; round < 2; round++) {
    const before = points.length;
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) =>
        isolates[i % 2]!.ask(i % 3 === 0 ? "/a/x" : "/b/x"),
      ),
    );
    // Not per request.
    expect(points).toHaveLength(before);
    await Promise.all(isolates.map(({ flush }) => flush()));
    expect(points.length - before).toBeGreaterThanOrEqual(3);
    expect(points.length - before).toBeLessThanOrEqual(2 * 6);
  }
  const sums: Record<string, number> = {};
  for (const { blobs, doubles } of points) {
    const name = blobs.join(" ");
    sums[name] = (sums[name] ?? 0) + doubles[0]!;
  }
  expect(sums).toEqual(await requestsOf(gateways));
  expect(Object.values(sums).reduce((all, count) => all + count)).toBe(120);
  expect(points.every(({ indexes, blobs }) => indexes[0] === blobs[0])).toBe(true);
});

test("metrics that one request may not write wait, are added up, and are written later", () => {
  const { dataset, points } = startDataset();
  const write = analyticsWriter(dataset, () => expect.fail());
  const rules = Array.from({ length: 60 }, (_, i) => field(ALLOWED, `* /${i}`));
  write(new Map(rules.map((rule, i) => [rule, i + 1])));
  // The largest ones.
  expect(points.map(({ doubles }) => doubles[0])).toEqual(
    Array.from({ length: 25 }, (_, i) => 60 - i),
  );
  write(new Map([[rules[0]!, 99]]));
  expect(points).toHaveLength(50);
  expect(points[25]).toEqual({
    indexes: ["* /0"],
    blobs: ["* /0", "allowed", "allowed"],
    doubles: [100],
  });
  for (let i = 0; i < 3; i++) write(new Map());
  expect(points).toHaveLength(60);
  expect(points.reduce((sum, { doubles }) => sum + doubles[0]!, 0)).toBe(30 * 61 + 99);
});

test.each([`GET /${"a".repeat(119)}`, `GET /${"é".repeat(115)}`, `GET /${"🚲".repeat(57)}`])(
  "the index of a rule with a long name is whole characters of it: %s",
  (rule) => {
    const { dataset, points } = startDataset();
    analyticsWriter(dataset, () => expect.fail())(new Map([[field(LIMITED, rule), 3]]));
    const [{ indexes, blobs }] = points as [Point];
    expect(blobs).toEqual([rule, "denied", "limited"]);
    expect(rule.startsWith(indexes[0])).toBe(true);
    expect(indexes[0].isWellFormed()).toBe(true);
    expect(new TextEncoder().encode(indexes[0]).length).toBeGreaterThan(92);
  },
);

test("a dataset that fails costs Redis nothing, and gets the counts later", async () => {
  let isBroken = true;
  const { dataset, points } = startDataset(() => isBroken);
  const gateways = await meteredGateways([{ path: "/*", policies: [quota("all", 50)] }], {
    ANALYTICS: dataset,
  });
  const { ask, flush } = gateways.open();
  for (let i = 0; i < 3; i++) await ask("/x");
  await flush();
  expect(points).toEqual([]);
  expect(await requestsOf(gateways)).toEqual({ "* /* allowed allowed": 3 });
  isBroken = false;
  await ask("/x");
  await flush();
  expect(points.map(({ doubles }) => doubles)).toEqual([[4]]);
});

test.each(["true", "", undefined, 1, {}, { writeDataPoint: "no" }])(
  "a variable of the same name that is no dataset is not the gateway's: %o",
  (given) => {
    const read = () =>
      readConfig(
        {
          ORIGIN: "https://origin.example.com",
          UPSTASH_REDIS_REST_URL: "https://redis.example.com",
          UPSTASH_REDIS_REST_TOKEN: "t",
          CLIENT_IP: "cloudflare",
          METRICS: "on",
          ANALYTICS: given,
          RULES: [{ path: "/*", policies: [quota("all", 5)] }],
        },
        { metrics },
      );
    expect(read).not.toThrow();
  },
);
