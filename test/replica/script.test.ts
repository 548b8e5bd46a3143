import { describe, expect, onTestFinished, test, vi } from "vitest";

import { REPLICA } from "../../src/algorithms/scripts.generated.ts";
import { createReplica } from "../../src/features/replica/replica.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { fromData } from "../../src/policy/from-data.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { scriptFor } from "../../src/store/redis/script.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { random } from "../support/random.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";
import { runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();

const policyOf = (algorithm: string, limit: number, window = "60s"): CompiledPolicy =>
  compilePolicy(
    fromData(
      algorithm === "token-bucket"
        ? { algorithm, name: "p", limit, refill: limit, per: window }
        : { algorithm, name: "p", limit, window },
    ) as Policy,
  );
const ALGORITHMS = EVERY_ALGORITHM.map(({ algorithm }) => algorithm);

/** A replica that is the Redis itself, asked by commands that cannot write. */
const replica = () =>
  createReplica(
    {
      dialect: { firstLine: "" },
      client: {
        evalsha: () => Promise.reject(new Error("NOSCRIPT No matching script.")),
        eval: (script, keys, args) => redis.call("EVAL_RO", script, keys.length, ...keys, ...args),
      },
    },
    60_000,
  );

describe.each(ALGORITHMS)("the script for %s", (algorithm) => {
  test("only reads, and reads no clock", () => {
    const { text } = scriptFor(REPLICA, [policyOf(algorithm, 5)]);
    const commands = [...text.matchAll(/redis\.p?call\('(\w+)'/g)].map(([, command]) => command);
    expect(commands.filter((command) => !["GETRANGE", "MGET"].includes(command!))).toEqual([]);
  });

  test("gives the verdict of the primary's own script, by the given time", async () => {
    let timeUs = FUTURE;
    const primary = storeWithClock(redis, () => timeUs);
    let answered = 0;
    for (let seed = 1; seed <= runs(4); seed++) {
      const next = random(seed);
      const policies = [policyOf(algorithm, 3 + (seed % 6))];
      const keys = [`read:{${crypto.randomUUID()}}`];
      for (let step = 0; step < 40; step++) {
        timeUs += Math.floor(next() * (next() < 0.3 ? 30e6 : 2e6));
        const cost = 1 + Math.floor(next() * 3);
        await primary.decide(next() < 0.2 ? "charge" : "consume", keys, [cost], policies);
        const before = await redis.dumpBuffer(keys[0]!);
        const own = await primary.decide("peek", keys, [cost], policies);
        const rows = await replica().read(keys, [cost], policies, timeUs);
        expect(rows, `seed ${seed}, step ${step}`).toEqual(own.rows);
        expect(await redis.dumpBuffer(keys[0]!)).toEqual(before);
        answered++;
      }
      await redis.del(...keys);
    }
    expect(answered).toBeGreaterThan(0);
  });

  test("leaves a state to the primary that its clock has left behind", async () => {
    const policies = [policyOf(algorithm, 2)];
    const keys = [`read:{${crypto.randomUUID()}}`];
    const primary = storeWithClock(redis, () => FUTURE + 300e6);
    await primary.decide("charge", keys, [2], policies);
    expect(await replica().read(keys, [1], policies, FUTURE)).toBeUndefined();
    await redis.del(...keys);
  });
});

test("a bucket of another rate is left to the primary, which converts it", async () => {
  const keys = [`read:{${crypto.randomUUID()}}`];
  const primary = storeWithClock(redis, () => FUTURE);
  await primary.decide("charge", keys, [2], [policyOf("token-bucket", 2)]);
  // The same rate under another limit needs no repair.
  const larger = [policyOf("token-bucket", 3, "90s")];
  expect(await replica().read(keys, [1], larger, FUTURE)).toMatchObject([{ remaining: 1 }]);
  const changed = [policyOf("token-bucket", 3, "30s")];
  expect(await replica().read(keys, [1], changed, FUTURE)).toBeUndefined();
  await redis.del(...keys);
});

test("the script of several algorithms is built and digested once", async () => {
  const digest = vi.spyOn(crypto.subtle, "digest");
  onTestFinished(() => void digest.mockRestore());
  const asked: string[] = [];
  const evalsha = async (sha1: string) => {
    asked.push(sha1);
    return [1, 4, 0, 1];
  };
  const client = { evalsha, eval: () => Promise.reject(new Error("not needed")) };
  const { read } = createReplica({ dialect: { firstLine: "" }, client }, 60_000);
  for (const [algorithm, limit] of [
    ["token-bucket", 5],
    ["fixed-window", 5],
    ["token-bucket", 7],
  ] as const) {
    await read(["key"], [1], [policyOf(algorithm, limit)], FUTURE);
  }
  expect(digest).toHaveBeenCalledTimes(2);
  expect(asked[2]).toBe(asked[0]);
  expect(asked[1]).not.toBe(asked[0]);
});
