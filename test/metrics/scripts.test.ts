import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";

import { ADD_METRICS, READ_METRICS } from "../../src/algorithms/scripts.generated.ts";
import { keysOf, metricsKeys } from "../../src/store/redis/redis-metrics.ts";

const MORNING = Date.UTC(2031, 0, 1, 9);

interface Written {
  readonly denied?: readonly (readonly [member: string, count: number])[];
  readonly near?: readonly (readonly [member: string, count: number])[];
  /** Of one minute. */
  readonly fields?: readonly (readonly [name: string, count: number])[];
}

/** An isolate that writes batches to the Redis of this run. */
function startWriter() {
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const keys = metricsKeys(crypto.randomUUID());
  let batch = 0;
  return {
    redis,
    keys,
    write({ denied = [], near = [], fields = [] }: Written) {
      const minute = { minute: MORNING / 60_000, counts: fields };
      const dated = fields.length > 0 ? [minute] : [];
      const at = keysOf(keys, { isolate: "isolate", atMs: MORNING, minutes: dated });
      const minutes = fields.length > 0 ? [1, fields.length, fields].flat(2) : [0];
      const tops = [denied, near].flatMap((list) => [list.length, list].flat(2));
      const args = [++batch, minutes, tops].flat(2);
      return redis.eval(ADD_METRICS, at.length, ...at, ...args);
    },
    /** Highest first. */
    top: (kind: "denied" | "near") => redis.zrevrange(keys.top(kind, MORNING), 0, -1),
  };
}

const partitions = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => [`api p${from + i}`, from + i + 1] as const);

const KINDS = ["denied", "near"] as const;

test.each(KINDS)(
  "of the partitions that are %s, the 200 with the most counts stay",
  async (kind) => {
    const { write, top } = startWriter();
    await write({ [kind]: partitions(0, 150) });
    await write({ [kind]: partitions(150, 250) });
    const expected = partitions(50, 250).map(([member]) => member);
    expect(await top(kind)).toEqual(expected.toReversed());
    // An entry among them goes on counting, and one that was pushed out begins anew.
    await write({
      [kind]: [
        ["api p60", 1_000],
        ["api p3", 1],
      ],
    });
    expect((await top(kind))[0]).toBe("api p60");
    expect(await top(kind)).toHaveLength(200);
    expect(await top(kind)).not.toContain("api p3");
  },
);

test.for<["minute" | "hour" | "total", number]>([
  ["minute", 2_000],
  ["hour", 5_000],
  ["total", 20_000],
])(
  "the hash of the %s has room for %i names, and counts the requests of further ones as others",
  async ([of, room]) => {
    const { write, redis, keys } = startWriter();
    const key = of === "total" ? keys.total : keys[of](MORNING);
    await redis.hset(key, Object.fromEntries(Array.from({ length: room - 1 }, (_, i) => [i, 1])));
    await write({
      fields: [
        ["last", 3],
        ["o", 2],
        ["further", 4],
        ["0", 5],
      ],
    });
    expect(await redis.hmget(key, "last", "further", "0", "o")).toEqual(["3", null, "6", "3"]);
    expect(await redis.hlen(key)).toBe(room + 1);
  },
);

test("a key that alone is larger than a reply is read all the same, and the next ones are left to the next call", async () => {
  const { redis, keys } = startWriter();
  const places = [0, 1, 2].map((i) => keys.minute(MORNING + i * 60_000));
  for (const place of places) await redis.hset(place, "field", "0".repeat(100));
  const read = (given: readonly string[], bytes: number) =>
    redis.eval(READ_METRICS, given.length, ...given, "hashes", bytes);
  const pair = ["field", "0".repeat(100)];
  expect(await read(places, 50)).toEqual([pair]);
  // Of two that fit, the second one is no first.
  expect(await read(places, 210)).toEqual([pair, pair]);
  expect(await read(places, 209)).toEqual([pair]);
  expect(await read(places, 315)).toEqual([pair, pair, pair]);
});

test("every key but that of the total expires: days, an hour or two after the last write", async () => {
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const keys = metricsKeys(crypto.randomUUID());
  const dated = [{ minute: MORNING / 60_000, counts: [] }];
  const at = keysOf(keys, { isolate: "isolate", atMs: MORNING, minutes: dated });
  const minutes = [1, 1, "a.allowed", 3];
  const tops = [1, "api p1", 2, 1, "api p2", 2];
  await redis.eval(ADD_METRICS, at.length, ...at, 1, ...minutes, ...tops);
  const left = await Promise.all(at.map((key) => redis.ttl(key)));
  const [day, hour] = [86_400, 3_600];
  const longest = [2 * hour, -1, day, day, day, 31 * day];
  // The time since the write is below a minute.
  expect(left.map((seconds) => (seconds < 0 ? seconds : Math.ceil(seconds / 60) * 60))).toEqual(
    longest,
  );
});
