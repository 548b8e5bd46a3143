import { setTimeout as sleep } from "node:timers/promises";

import { MultiRegionRatelimit as Peer } from "@upstash/ratelimit";
import { expect, test } from "vitest";

import { fromIoredis } from "../../src/node.ts";
import { MultiRegionRatelimit } from "../../src/upstash-ratelimit.ts";
import { connect, countedRedis, noRedis, ownPrefix } from "./clocked-redis.ts";

const { fixedWindow, slidingWindow } = MultiRegionRatelimit;

/** The number of calls that each of three databases got for each of these identifiers. */
async function callsOf(identifiers: readonly string[], databases = 3): Promise<number[][]> {
  const counted = Array.from({ length: databases }, countedRedis);
  const ratelimit = new MultiRegionRatelimit({
    redis: counted.map(({ redis }) => redis),
    limiter: fixedWindow(10, "1 d"),
    prefix: ownPrefix(),
    timeout: 20_000,
  });
  // The first call of each database brings the script.
  for (let i = 0; i < 30; i++) await ratelimit.limit(`warm${i}`);
  const calls = [];
  for (const identifier of identifiers) {
    const before = counted.map(({ sent }) => sent());
    await ratelimit.limit(identifier);
    calls.push(counted.map(({ sent }, i) => sent() - before[i]!));
  }
  return calls;
}

const identifiers = Array.from({ length: 90 }, (_, i) => `user:${i}`);
const placeOf = (calls: readonly number[]) => calls.indexOf(1);

test("each identifier is counted in one database, by one call", async () => {
  const places = (await callsOf(identifiers)).map((calls) => {
    expect(calls.reduce((sum, each) => sum + each, 0)).toBe(1);
    return placeOf(calls);
  });
  for (const place of [0, 1, 2]) {
    expect(places.filter((each) => each === place).length).toBeGreaterThan(15);
  }
});

test("a database is added: the identifiers that it does not get stay where they were", async () => {
  const before = (await callsOf(identifiers, 2)).map(placeOf);
  const after = (await callsOf(identifiers, 3)).map(placeOf);
  const moved = after.filter((place, i) => place !== before[i]);
  expect(moved.length).toBeGreaterThan(15);
  expect(new Set(moved)).toEqual(new Set([2]));
});

test.for([
  ["fixedWindow", fixedWindow],
  ["slidingWindow", slidingWindow],
] as const)("%s: exactly the limit passes, also over two processes", async ([, limiter]) => {
  const prefix = ownPrefix();
  const process = () =>
    new MultiRegionRatelimit({
      redis: [fromIoredis(connect()), fromIoredis(connect()), fromIoredis(connect())],
      limiter: limiter(5, "30 d"),
      timeout: 20_000,
      prefix,
    });
  const [one, other] = [process(), process()];
  for (const identifier of ["ada", "bob", "cy"]) {
    const answers = [];
    for (let i = 0; i < 4; i++) {
      answers.push(await one.limit(identifier), await other.limit(identifier));
    }
    expect(answers.map(({ success }) => success)).toEqual([
      ...Array.from({ length: 5 }, () => true),
      ...Array.from({ length: 3 }, () => false),
    ]);
    expect(await other.getRemaining(identifier)).toMatchObject({ remaining: 0, limit: 5 });
    expect(await other.blockUntilReady(identifier, 1)).toMatchObject({ success: false });
    await one.resetUsedTokens(identifier);
    expect(await one.limit(identifier, { rate: 2 })).toMatchObject({ success: true, remaining: 3 });
  }
});

test("where each process asks its nearer database first, the peer admits the limit of both", async () => {
  const prefix = ownPrefix();
  const databases = [connect(), connect()];
  /** A database of one Redis, as the peer calls it: an Upstash that is near or far. */
  const database = (i: number, isNear: boolean) => ({
    evalsha: () => Promise.reject(new Error("NOSCRIPT")),
    async eval(script: string, keys: string[], values: string[]) {
      if (!isNear) await sleep(100);
      const stock = script.replace(/^#!.*\n/, "");
      return databases[i]!.eval(stock, keys.length, ...keys.map((key) => `${i}:${key}`), ...values);
    },
  });
  const process = (near: number) =>
    new Peer({
      redis: [database(0, near === 0), database(1, near === 1)] as never,
      limiter: Peer.fixedWindow(3, "1 d"),
      ephemeralCache: false,
      timeout: 20_000,
      prefix,
    });
  const processes = [process(0), process(1)];
  const answers = await Promise.all(
    Array.from({ length: 10 }, async (_, i) => {
      const { success, pending } = await processes[i % 2]!.limit("ada");
      // Then each tells the other by commands that this database does not have.
      await pending.catch(() => {});
      return success;
    }),
  );
  expect(answers.filter(Boolean)).toHaveLength(6);
});

test("identifiers of a silent database pass, and the others are counted", async () => {
  const { redis } = countedRedis();
  const ratelimit = new MultiRegionRatelimit({
    redis: [redis, noRedis],
    limiter: fixedWindow(1, "1 d"),
    prefix: ownPrefix(),
    timeout: 20_000,
  });
  const reasons = [];
  for (const identifier of identifiers) {
    // The second is denied, and the third by what is known.
    for (let i = 0; i < 2; i++) await ratelimit.limit(identifier);
    const { success, reason } = await ratelimit.limit(identifier);
    reasons.push(`${success} ${reason}`);
  }
  expect(new Set(reasons)).toEqual(new Set(["false cacheBlock", "true timeout"]));
});

test.each([[[]], [undefined], [noRedis]])("a list of databases cannot be %j", (redis) => {
  const limiter = fixedWindow(1, "1 d");
  expect(() => new MultiRegionRatelimit({ redis: redis as never, limiter })).toThrow(
    'redis: "' + typeof redis + '": Give a list of clients, one for each database.',
  );
});

test("an empty identifier is refused by the database that it would have", async () => {
  const { redis } = countedRedis();
  const ratelimit = new MultiRegionRatelimit({ redis: [redis], limiter: fixedWindow(1, "1 d") });
  await expect(ratelimit.limit("")).rejects.toThrow("The identity must be a string");
});
