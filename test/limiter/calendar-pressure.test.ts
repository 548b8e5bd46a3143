import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import type { FixedWindowOptions } from "../support/limiter/plain.ts";
import { type RedisCluster, startRedisCluster } from "../support/redis-cluster.ts";
import { some } from "../support/runs.ts";
import {
  edgeIsolate,
  type Isolate,
  nodeIsolate,
  type Pressure,
  workerdIsolate,
} from "./isolates.ts";

/*
 * Isolates of several runtimes, whose clocks differ, ask one Redis all the time about one client. The sum of all that they
 * admit in a window is its limit. The boundaries are written down here, in years to come: keys expire by the server's clock.
 */

const YEAR = new Date().getUTCFullYear() + 1;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The last Sunday of March: then the clocks of Berlin change, and its day has 23 hours. */
const lastOfMarch = new Date(Date.UTC(YEAR, 3, 0));
const sunday = lastOfMarch.getTime() - lastOfMarch.getUTCDay() * DAY_MS;
const noon = Date.UTC(YEAR, 6, 1, 12);

const WINDOWS: readonly (readonly [
  what: string,
  options: Pick<FixedWindowOptions, "window"> & object,
  boundaries: readonly number[],
])[] = [
  [
    "an hour of Kathmandu",
    { window: "hour", timeZone: "Asia/Kathmandu" },
    [15, 75, 135, 195].map((minutes) => noon + minutes * 60_000),
  ],
  [
    "a day of 23 hours",
    { window: "day", timeZone: "Europe/Berlin" },
    [-HOUR_MS - DAY_MS, -HOUR_MS, DAY_MS - 2 * HOUR_MS, 2 * DAY_MS - 2 * HOUR_MS].map(
      (ms) => sunday + ms,
    ),
  ],
  [
    "a week from Sunday on",
    { window: "week", anchor: 7 },
    [0, 7, 14, 21].map((days) => sunday + days * DAY_MS),
  ],
  [
    "a month from its last day on",
    { window: "month", anchor: 31 },
    // The day before the first of a month.
    [1, 2, 3, 4].map((month) => Date.UTC(YEAR, month, 0)),
  ],
] as never;

/** Moments of these windows, in microseconds: the first, one amid and the last of each. */
function momentsOf(boundaries: readonly number[]): readonly number[] {
  return boundaries.slice(0, -1).flatMap((startMs, i) => {
    const lengthMs = boundaries[i + 1]! - startMs;
    return [startMs * 1000, (startMs + lengthMs / 2) * 1000, (startMs + lengthMs) * 1000 - 1];
  });
}

let isolates: readonly Isolate[];
beforeAll(async () => {
  const others = await Promise.all([workerdIsolate(), edgeIsolate()]);
  isolates = [nodeIsolate(0), nodeIsolate(20 * 60_000), nodeIsolate(-20 * 60_000), ...others];
});
afterAll(async () => {
  for (const isolate of isolates ?? []) await isolate.stop();
});

/** Each isolate asks about all identities at each moment; reports the units admitted in each window, by identity. */
async function pressed(
  boundaries: readonly number[],
  pressure: Omit<Pressure, "nowUs">,
  asking: readonly Isolate[] = isolates,
): Promise<readonly (readonly number[])[]> {
  const sums = boundaries.slice(1).map(() => pressure.identities.map(() => 0));
  for (const nowUs of momentsOf(boundaries)) {
    const window = boundaries.findLastIndex((ms) => ms * 1000 <= nowUs);
    const answers = await Promise.all(asking.map((each) => each.press({ ...pressure, nowUs })));
    for (const answer of answers) {
      answer.forEach((allowed, i) => (sums[window]![i]! += Number(allowed)));
    }
  }
  return sums;
}

test.each(some(WINDOWS))(
  "five isolates of three runtimes admit exactly the limit in each window: %s",
  async (_what, options, boundaries) => {
    const sums = await pressed(boundaries, {
      url: inject("redisRestUrl"),
      token: inject("redisRestToken"),
      prefix: crypto.randomUUID(),
      policies: [{ name: "p", limit: 23, ...options }],
      identities: Array.from({ length: 3 }, () => "u"),
    });
    expect(sums.map((each) => each.reduce((sum, n) => sum + n, 0))).toEqual([23, 23, 23]);
  },
);

describe("on three masters of a Redis Cluster", () => {
  let cluster: RedisCluster;
  let bridge: Bridge;
  beforeAll(async () => {
    cluster = await startRedisCluster({ masters: 3 });
    const redis = cluster.urls.join(",");
    bridge = await startBridge({ redis, port: 0, token: "t", cluster: true });
  });
  afterAll(async () => {
    await bridge?.close();
    await cluster?.stop();
  });

  const TWO = [WINDOWS[1]!, WINDOWS[3]!];

  test.each(some(TWO))(
    "clients whose keys lie on different masters have each exactly their limit: %s",
    async (_what, options, boundaries) => {
      const sums = await pressed(boundaries, {
        url: bridge.url,
        token: "t",
        prefix: crypto.randomUUID(),
        policies: [{ name: "p", limit: 11, ...options }],
        identities: Array.from({ length: 6 }, (_, i) => `user:${i}`),
      });
      expect(sums).toEqual(sums.map((each) => each.map(() => 11)));
    },
  );

  test.each(some(TWO))(
    "decisions over several masters never admit more, and fill the limit: %s",
    async (_what, options, boundaries) => {
      const pressure = {
        url: bridge.url,
        token: "t",
        prefix: crypto.randomUUID(),
        policies: [
          { name: "team", by: "team", limit: 14, ...options },
          { name: "key", by: "key", limit: 4, ...options },
        ],
        identities: Array.from({ length: 4 }, (_, i) => ({ team: "t", key: `k${i}` })),
      };
      // Those of this process have a store of their own, which asks one master at a time.
      const sums = await pressed(boundaries, pressure, isolates.slice(3));
      for (const each of sums) {
        expect(Math.max(...each)).toBeLessThanOrEqual(4);
        expect(each.reduce((sum, n) => sum + n, 0)).toBe(14);
      }
    },
  );
});
