import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";

import {
  type Algorithm,
  ALGORITHMS,
  bytesPerKey,
} from "../../../packages/cli/src/doctor/memory-formula.ts";
import { type RedisServer, startRedisServer } from "../../../scripts/support/redis-server.ts";
import { DECIDE_ONE } from "../../../src/algorithms/scripts.generated.ts";
import { concurrency } from "../../../src/features/holds/concurrency-option.ts";
import { scriptFor } from "../../../src/store/redis/script.ts";
import { EVERY_ALGORITHM } from "../../support/algorithms/all.ts";
import { compilePolicy } from "../../support/compile-policy.ts";
import { everyPolicy } from "../../support/every-policy.ts";

const PARTITIONS = 10_000;
const HOUR = 3_600_000_000;

/** Ahead of the server's clock, by which keys expire. */
const START = (Math.floor((Date.now() * 1000) / HOUR) + 24) * HOUR;

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedisServer();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

/** The memory of the data: neither connections nor the script cache. */
async function usedMemory(): Promise<number> {
  const info = await redis.info("memory");
  const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)![1]);
  return field("used_memory") - field("mem_clients_normal") - field("used_memory_vm_eval");
}

function policyOf(algorithm: Algorithm, limit: number) {
  if (algorithm === "concurrency") return concurrency({ limit, ttl: "1h" });
  return everyPolicy(limit, "1h").find((policy) => policy.algorithm === algorithm)!;
}

/** Fills the states of all partitions: units are taken at these moments, as shares of the window from its start. */
async function fill(algorithm: Algorithm, limit: number, cost: number, shares: readonly number[]) {
  const compiled = compilePolicy(policyOf(algorithm, limit));
  const { text } = scriptFor(DECIDE_ONE, [compiled]);
  const keyOf = (i: number) => `tg:{${String(i).padStart(20, "0")}}:${compiled.key}`;
  await redis.flushall();
  const before = await usedMemory();
  for (const [round, share] of shares.entries()) {
    const now = START + Math.floor(share * HOUR);
    const timed = text.replace("redis.call('TIME')", `{'${Math.floor(now / 1e6)}','${now % 1e6}'}`);
    const sha = String(await redis.script("LOAD", timed));
    for (let from = 0; from < PARTITIONS; from += 500) {
      const pipeline = redis.pipeline();
      for (let i = from; i < from + 500; i++) {
        const id = `${i}-${round}`.padEnd(36, "x");
        const slot = algorithm === "concurrency" ? ["e", id, HOUR] : [];
        pipeline.evalsha(sha, 1, keyOf(i), "consume", cost, ...compiled.scriptArguments, ...slot);
      }
      for (const [error, reply] of (await pipeline.exec())!) {
        if (error) throw error;
        expect((reply as number[])[1]).toBe(1);
      }
    }
  }
  expect(await redis.dbsize()).toBe(PARTITIONS);
  const bytes = ((await usedMemory()) - before) / PARTITIONS;
  return { bytes, formula: bytesPerKey({ algorithm, limit, keyLength: keyOf(0).length }) };
}

interface Filled {
  readonly algorithm: Algorithm;
  readonly limit: number;
  readonly cost: number;
  readonly shares: readonly number[];
}

test.for<Filled>([
  ...EVERY_ALGORITHM.flatMap(({ algorithm, filled }) =>
    filled.map((each) => ({ algorithm, ...each })),
  ),
  { algorithm: "concurrency", limit: 5, cost: 1, shares: [0, 0.1, 0.2, 0.3, 0.4] },
])(
  "the formula says what $algorithm at a limit of $limit takes, within 15 %",
  { timeout: 120_000 },
  async ({ algorithm, limit, cost, shares }) => {
    const { bytes, formula } = await fill(algorithm, limit, cost, shares);
    expect(formula / bytes).toBeGreaterThan(0.85);
    expect(formula / bytes).toBeLessThan(1.15);
  },
);

test("the formula says what more slots than fit a packed list take, within 15 %", async () => {
  const compiled = compilePolicy(concurrency({ limit: 300, ttl: "1h" }));
  const { text } = scriptFor(DECIDE_ONE, [compiled]);
  const key = `tg:{many}:${compiled.key}`;
  for (let i = 0; i < 300; i++) {
    const id = `${i}`.padEnd(36, "x");
    await redis.eval(text, 1, key, "consume", 1, ...compiled.scriptArguments, "e", id, HOUR);
  }
  const bytes = (await redis.memory("USAGE", key, "SAMPLES", 0))!;
  const formula = bytesPerKey({ algorithm: "concurrency", limit: 300, keyLength: key.length });
  expect(formula / bytes).toBeGreaterThan(0.85);
  expect(formula / bytes).toBeLessThan(1.15);
});

test("has a number for each algorithm", () => {
  const names = everyPolicy(1, "1h").map(({ algorithm }) => algorithm);
  expect([...ALGORITHMS].sort()).toEqual([...names, "concurrency"].sort());
});
