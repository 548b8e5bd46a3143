import { describe, expect, test } from "vitest";

import { rateLimit } from "../../src/hono.ts";
import * as tidegate from "../../src/index.ts";
import type { FaultCode } from "../../src/options/errors.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { shardsOf } from "../../src/policy/shards.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { tokenBucket } from "../support/limiter/plain.ts";
import { createLimiter, fixedWindow, limit, memoryStore } from "../support/limiter/plain.ts";

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

describe("the shards of a policy", () => {
  test("have limits that add up to its own and differ by one at most, with every algorithm", () => {
    for (const limit of [2, 10, 97, 1_000, 99_999]) {
      for (const shards of [2, 3, 7, 8, 64]) {
        if (limit < shards) continue;
        for (const given of everyPolicy(limit, "1h")) {
          const policy = compilePolicy({ ...given, shards });
          const limits = shardsOf(policy).map((shard) => shard.limit);
          expect(limits).toHaveLength(shards);
          expect(sum(limits)).toBe(limit);
          expect(limits).toEqual(limits.toSorted((a, b) => b - a));
          expect(limits[0]! - limits.at(-1)!).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  test("keep what clients are told, and the keys' ends", () => {
    for (const given of everyPolicy(10, "1h")) {
      const policy = compilePolicy({ ...given, shards: 3, name: "p" });
      const { limit: units, windowUs, field, key, name } = policy;
      for (const shard of shardsOf(policy)) {
        expect(shard).toMatchObject({ field, key, name, unsharded: { limit: units, windowUs } });
        expect(shard.scriptArguments[1]).toBe(String(shard.limit));
      }
    }
  });

  test("that are alike are one object", () => {
    expect(
      new Set(shardsOf(compilePolicy(fixedWindow({ ...HOUR, shards: 8, limit: 100 })))),
    ).toEqual(expect.objectContaining({ size: 2 }));
  });

  /** The rate as a fraction of whole numbers, so that there is no rounding. */
  const rate = ({ parameters }: CompiledPolicy) =>
    [BigInt(parameters["divisor"]!), BigInt(parameters["intervalUs"]!)] as const;

  test("of a bucket refill at equal parts of its rate, and never faster", () => {
    for (const limit of [2, 10, 999_983, 1e9]) {
      for (const refill of [1, 7, 999_983, 1e9]) {
        for (const shards of [2, 3, 7, 64]) {
          if (limit < shards || limit / refill > 366 * 24 * 3600) continue;
          const policy = compilePolicy(tokenBucket({ limit, refill, per: "1s", shards }));
          const [whole, perUs] = rate(policy);
          for (const shard of shardsOf(policy)) {
            const [part, intervalUs] = rate(shard);
            // part / intervalUs <= whole / perUs / shards, and by at most 0.01 % less.
            const [own, most] = [part * perUs * BigInt(shards), whole * intervalUs];
            expect(own <= most).toBe(true);
            expect(own * 10_000n >= most * 9_999n).toBe(true);
          }
        }
      }
    }
    const ten = compilePolicy(tokenBucket({ limit: 10, refill: 10, per: "1s", shards: 3 }));
    expect(shardsOf(ten).map(rate)).toEqual([
      [1n, 300_000n],
      [1n, 300_000n],
      [1n, 300_000n],
    ]);
  });
});

const HOUR = { window: "1h" } as const;
const create = (policy: object, options: object = {}) =>
  createLimiter({
    store: memoryStore(),
    policies: [{ ...fixedWindow({ limit: 10, ...HOUR }), ...policy }],
    ...options,
  });

test.for([2, 10, 64])("there may be %i shards, of one unit each", (shards) => {
  expect(() => create({ shards, limit: shards })).not.toThrow();
  const plans = { free: { p: { limit: shards } } };
  expect(() => create({ shards, limit: 100, name: "p" }, { plans })).not.toThrow();
});

test("automatic leases leave policies with shards out", () => {
  expect(() => create({ shards: 2 }, { lease: "auto" })).not.toThrow();
  expect(() => create({ shards: 2, lease: "auto" })).toThrow(/Leave out this or lease/);
});

describe("shards that cannot be", () => {
  test.for<[policy: object, path: string, code: FaultCode, says?: string, options?: object]>([
    [{ shards: 1 }, "policies[0].shards", "range"],
    [{ shards: 65, limit: 100 }, "policies[0].shards", "range"],
    [{ shards: 2.5 }, "policies[0].shards", "range"],
    [{ shards: "8" }, "policies[0].shards", "range"],
    [{ shards: 11 }, "policies[0].shards", "conflict", "at most 10"],
    [{ shards: 2, limit: 1 }, "policies[0].shards", "conflict", "Leave it out"],
    [{ shards: 2 }, "policies[0].shards", "conflict", "", { lease: "100ms" }],
    [{ shards: 2, limit: 1_000, lease: "100ms" }, "policies[0].shards", "conflict"],
    [
      { shards: 4, name: "p" },
      "plans.free.p.limit",
      "conflict",
      "at least 4",
      { plans: { free: { p: { limit: 3 } } } },
    ],
  ])("%j", ([policy, path, code, says = "", options]) => {
    expect(() => create(policy, options)).toThrow(
      expect.objectContaining({
        faults: [
          expect.objectContaining({
            path,
            code,
            remedy: expect.stringContaining(says),
          }),
        ],
      }),
    );
  });

  test("are those of a policy that counts denials", () => {
    const ban = fixedWindow({ name: "ban", limit: 10, ...HOUR, counts: "denials", shards: 2 });
    expect(() => create({}, { policies: [fixedWindow({ limit: 10, ...HOUR }), ban] })).toThrow(
      /policies\[1\]\.shards: 2.*Leave it out/s,
    );
  });

  test("are those of limit(), which says what to use", async () => {
    await expect(limit("ada", fixedWindow({ limit: 10, ...HOUR, shards: 2 }))).rejects.toThrow(
      /policies\[0\]\.shards: 2.*createLimiter\(\)/s,
    );
  });
});

test("a fixed cost of middleware fits into the smallest shard", () => {
  const policies = [tidegate.fixedWindow({ limit: 11, ...HOUR, shards: tidegate.shards(3) })];
  const limited = (cost: number) => () =>
    rateLimit({ store: memoryStore(), clientIp: "cloudflare", policies, cost });
  expect(limited(3)).not.toThrow();
  expect(limited(4)).toThrow(/cost: 4.*above the limit of a policy, or of one of its shards/s);
});
