import { describe, expect, test } from "vitest";

import { shardsOf } from "../../src/policy/shards.ts";
import { compile } from "../support/compile-policy.ts";
import { fixedWindow } from "../support/limiter/plain.ts";
import { limiterOnTwoMasters } from "./two-masters.ts";

/* Settlements of a policy with shards, some of which Redis does not answer about. */

const SHARDS = 4;

function limiterOf() {
  const policies = [
    fixedWindow({ name: "tokens", by: "key", limit: 400, window: "1h", shards: SHARDS }),
    fixedWindow({ name: "calls", by: "ip", limit: 100, window: "1h" }),
  ];
  const [shard] = shardsOf(compile(policies)[0]!);
  const subject = limiterOnTwoMasters(policies);
  /** The units that Redis has counted of each shard, past the limiter. */
  const used = () =>
    Promise.all(
      Array.from({ length: SHARDS }, async (_, i) => {
        const key = `tg:{ada#${i}}:${shard!.key}`;
        const { rows } = await subject.masterOf(key).decide("peek", [key], [1], [shard!]);
        return shard!.limit - rows[0]!.remaining;
      }),
    );
  return { ...subject, used };
}

const ADA = { key: "ada", ip: "a" };
const RESERVED = { cost: { tokens: 10, calls: 1 } };

describe("a settlement that charges every shard", () => {
  test("charges later the units that were not sent, and none twice", async () => {
    const { limiter, fates, used, calls } = limiterOf();
    const hold = await limiter.reserve(ADA, RESERVED);
    fates.set("ada#2", "not sent");
    const first = { status: "not-sent", error: { code: "ERR_STORE_SUSPENDED" } };
    expect(await hold.settle({ tokens: 90 })).toMatchObject({ ...first, charged: { tokens: 60 } });
    expect(await used()).toEqual([30, 20, 0, 20]);
    // The rest is spread anew: the silent shard's part of it is left again.
    for (const charged of [75, 79]) {
      expect(await hold.settle({ tokens: 90 })).toMatchObject({
        ...first,
        charged: { tokens: charged },
      });
      const [one, two, silent, four] = await used();
      expect([silent, one! + two! + four!]).toEqual([0, 10 + charged]);
    }
    fates.clear();
    const settled = { status: "settled", charged: { tokens: 80 } };
    expect(await hold.settle({ tokens: 90 })).toMatchObject(settled);
    const sum = (await used()).reduce((all, each) => all + each, 0);
    expect(sum).toBe(90);
    calls.length = 0;
    expect(await hold.settle({ tokens: 90 })).toMatchObject(settled);
    expect(calls).toEqual([]);
  });

  test.for(["lost", "answer lost"] as const)(
    "repeats no call that may have run: %s",
    async (fate) => {
      const { limiter, fates, used, calls } = limiterOf();
      const hold = await limiter.reserve(ADA, RESERVED);
      fates.set("ada#2", fate);
      const unknown = { status: "unknown", charged: { tokens: 60 } };
      expect(await hold.settle({ tokens: 90 })).toMatchObject(unknown);
      fates.clear();
      calls.length = 0;
      expect(await hold.settle({ tokens: 90 })).toMatchObject(unknown);
      expect(calls).toEqual([]);
      expect(await used()).toEqual([30, 20, fate === "lost" ? 0 : 20, 20]);
    },
  );

  test("charges the parts of several shards later that were not sent, all of them", async () => {
    const { limiter, fates, used } = limiterOf();
    const hold = await limiter.reserve(ADA, RESERVED);
    fates.set("ada#1", "not sent").set("ada#3", "not sent");
    const first = { status: "not-sent", charged: { tokens: 40 } };
    expect(await hold.settle({ tokens: 90 })).toMatchObject(first);
    fates.clear();
    const settled = { status: "settled", charged: { tokens: 80 } };
    expect(await hold.settle({ tokens: 90 })).toMatchObject(settled);
    expect((await used()).reduce((all, each) => all + each, 0)).toBe(90);
  });

  test("tells apart parts with an unknown result and parts that were not sent", async () => {
    const { limiter, fates, used } = limiterOf();
    const hold = await limiter.reserve(ADA, RESERVED);
    fates.set("ada#1", "not sent").set("ada#2", "lost");
    const unknown = { status: "unknown", error: { code: "ERR_STORE_TIMEOUT" } };
    const first = await hold.settle({ tokens: 90 });
    expect(first).toMatchObject({ ...unknown, charged: { tokens: 40 } });
    fates.clear();
    const second = await hold.settle({ tokens: 90 });
    expect(second).toMatchObject({ ...unknown, charged: { tokens: 60 } });
    const sum = (await used()).reduce((all, each) => all + each, 0);
    expect(sum).toBe(70);
  });

  test("goes on reporting the first failure with an unknown result", async () => {
    const { limiter, fates } = limiterOf();
    const hold = await limiter.reserve(ADA, RESERVED);
    fates.set("ada#1", "not sent").set("ada#2", "lost");
    expect((await hold.settle({ tokens: 90 })).error?.message).toBe("lost");
    for (let shard = 0; shard < SHARDS; shard++) fates.set(`ada#${shard}`, "answer lost");
    expect((await hold.settle({ tokens: 90 })).error?.message).toBe("lost");
  });
});

test("a charge says that some of its shards did not answer, in the decision of the first of them", async () => {
  const { limiter, fates } = limiterOf();
  fates.set("ada#3", "not sent");
  const decision = await limiter.charge(ADA, { tokens: 80, calls: 0 });
  expect(decision).toMatchObject({
    reason: "store-unavailable",
    error: { code: "ERR_STORE_SUSPENDED" },
  });
});
