import type { Redis } from "ioredis";

/** As the sliding window's log writes a time, in hexadecimal digits. */
const timeOf = (milliseconds: number) => (milliseconds * 1000).toString(16).padStart(14, "0");

/** A log of one page with these units, in hexadecimal digits, of which the newest is of now, and these settings. */
function log(settings: string, units = [timeOf(Date.now())]): Buffer {
  const used = units.length.toString(16).padStart(6, "0");
  const header = `${"0".repeat(12)}0001${"0".repeat(6)}${used}${timeOf(Date.now())}`;
  const [front, page] = [header, units.join("").padEnd(112, "0")].map((hex) =>
    Buffer.from(hex, "hex"),
  );
  return Buffer.concat([front!, Buffer.from(settings), page!]);
}

/** A number of a state in so many bytes. */
const hex = (number: number, bytes: number) => number.toString(16).padStart(2 * bytes, "0");

/** Segments that began now, each of 2^48 - 1 microseconds, with one unit. */
const SEGMENTS = () => timeOf(Date.now()) + "f".repeat(12) + hex(60, 1) + hex(1, 4);

/** Counts of a window that began now, of 2^40 - 1 milliseconds, with one unit in it. */
const COUNTS = () => timeOf(Date.now()) + "f".repeat(10) + hex(0, 4) + hex(1, 4);

/** What two settings have, of which both are alive for years. */
const ofTwo = (first: string, second: string) => `ff${first}${second}`;
const alive = () => timeOf(Date.now() + 1e12);

/** Things that a bug, another program or an older version may have left under a key. */
export const PLANTED: Record<string, (redis: Redis, key: string) => Promise<unknown>> = {
  "an empty string": (redis, key) => redis.set(key, ""),
  text: (redis, key) => redis.set(key, "hello"),
  "a huge number": (redis, key) => redis.set(key, "9".repeat(40)),
  "a negative number": (redis, key) => redis.set(key, "-5"),
  "not a number": (redis, key) => redis.set(key, "nan"),
  infinity: (redis, key) => redis.set(key, "inf"),
  "a truncated state": (redis, key) => redis.set(key, "17:"),
  "a segment list of huge counts": (redis, key) =>
    redis.set(key, `${Date.now() * 1000}:${"9".repeat(400)},1`),
  "a bucket's state at no rate": (redis, key) =>
    redis.set(key, `${Date.now() * 1000}999:0/a/0/0/0`),
  "a bucket's state at no interval": (redis, key) =>
    redis.set(key, `${(Date.now() + 60_000) * 1000}:0/a/5/0`),
  "a bucket's state at huge rates": (redis, key) =>
    redis.set(key, `${(Date.now() + 60_000) * 1000}:0-/a/${"9".repeat(400)}/${"9".repeat(400)}`),
  "a bucket's state at a fraction of a rate": (redis, key) =>
    redis.set(key, `${(Date.now() + 60_000) * 1000}/a/5/zzzz/zzzzzzzz`),
  "a bucket's state without its setting": (redis, key) => redis.set(key, `${Date.now() * 1000}`),
  "a bucket's bytes at no rate": (redis, key) => {
    const [used, keptUntilMs, unit, parts] = [
      hex(2 ** 46, 7),
      hex(2 ** 47, 6),
      hex(0, 7),
      hex(1, 7),
    ];
    const state = timeOf(Date.now()) + used + keptUntilMs + unit + parts;
    return redis.set(key, Buffer.from(state, "hex"));
  },
  "bytes of ones": (redis, key) => redis.set(key, Buffer.alloc(64, 0xff)),
  "ones where a fixed window's count is": (redis, key) => redis.set(key, Buffer.alloc(11, 0xff)),
  "ones where a counter's counts are": (redis, key) => redis.set(key, Buffer.alloc(15, 0xff)),
  "a header without its ring": (redis, key) =>
    redis.set(
      key,
      Buffer.from(
        `0003000000000014${timeOf(Date.now())}`.padStart(44, "0").padEnd(156, "0"),
        "hex",
      ),
    ),
  "a log of a window of nine years": (redis, key) =>
    redis.set(key, log(`${"f".repeat(12)}00005${"f".repeat(12)}000000`)),
  "segments of a window of 500 years": (redis, key) =>
    redis.set(key, Buffer.from(SEGMENTS(), "hex")),
  "segments of two windows of 500 years": (redis, key) => {
    const each = () => alive() + hex(1, 1) + SEGMENTS();
    return redis.set(key, Buffer.from(ofTwo(each(), each()), "hex"));
  },
  "counts of a window of 34 years": (redis, key) => redis.set(key, Buffer.from(COUNTS(), "hex")),
  "counts of two windows of 34 years": (redis, key) => {
    const each = () => alive() + COUNTS();
    return redis.set(key, Buffer.from(ofTwo(each(), each()), "hex"));
  },
  "a log of settings that are no digits": (redis, key) =>
    redis.set(key, log(`${"0".repeat(29)}pushed`)),
  "a log whose oldest unit is of the far future": (redis, key) =>
    redis.set(key, log("0".repeat(35), Array<string>(5).fill("f".repeat(14)))),
  "a list": (redis, key) => redis.rpush(key, "1", "2"),
  "a set": (redis, key) => redis.sadd(key, "1"),
  "a sorted set": (redis, key) => redis.zadd(key, 1, "1"),
  "a hash of other fields": (redis, key) => redis.hset(key, { field: "1" }),
  "a hash of text": (redis, key) =>
    redis.hset(key, { start: "a", current: "b", previous: "c", used: "d" }),
  "a hash of huge numbers": (redis, key) =>
    redis.hset(key, {
      start: "9".repeat(30),
      current: "9".repeat(30),
      previous: "9".repeat(30),
      used: "9".repeat(30),
    }),
  "a hash of negative numbers": (redis, key) =>
    redis.hset(key, { start: `${Date.now() * 1000}`, current: "-9", previous: "-9", used: "-9" }),
  "a hash of fractions": (redis, key) =>
    redis.hset(key, {
      start: `${Date.now() * 1000}.5`,
      current: "1.5",
      previous: "0.5",
      used: "1.5",
    }),
};
