import { describe, expect, test } from "vitest";

import type { Hold } from "../../src/decide/hold.ts";
import { compile } from "../support/compile-policy.ts";
import { concurrency, fixedWindow, type Policy } from "../support/limiter/plain.ts";
import { BOTH, type Fate, limiterOnTwoMasters, ONE, OTHER } from "./two-masters.ts";

/* Holds over two masters of a Redis Cluster, of which one or the other does not answer for a while. */

const window = (name: string, by: string) =>
  fixedWindow({ name, by, limit: 100, window: "1d", refundable: true });

function limiterOf(
  policies: readonly Policy[] = [window("first", "one"), window("second", "other")],
) {
  const { limiter, calls, fates, masterOf } = limiterOnTwoMasters(policies);
  return {
    limiter,
    calls,
    /** Lets every call about an identity meet this fate. */
    become: (identity: string, fate: Fate) => void fates.set(identity, fate),
    /** The units that a master has counted for an identity, past the limiter. */
    async used(identity: string): Promise<number> {
      let units = 0;
      for (const policy of compile(policies)) {
        if (policy.by !== (identity === ONE ? "one" : "other")) continue;
        const key = `tg:{${identity}}:${policy.key}`;
        const { rows } = await masterOf(key).decide("peek", [key], [1], [policy]);
        units += policy.limit - rows[0]!.remaining;
      }
      return units;
    },
  };
}

type Subject = ReturnType<typeof limiterOf>;
const reserve = ({ limiter }: Subject, units = 10): Promise<Hold> =>
  limiter.reserve(BOTH, { cost: units });

describe("a hold whose one master is silent", () => {
  test.each<Fate>(["not sent", "lost", "answer lost"])(
    "gives back on the other the units that it took, ten times of ten: %s",
    async (fate) => {
      const subject = limiterOf();
      await reserve(subject, 1);
      subject.become(OTHER, fate);
      for (let i = 0; i < 10; i++) {
        const hold = await reserve(subject);
        expect(hold).toMatchObject({ allowed: true, reason: "store-unavailable" });
        const { status } = await hold.release();
        expect(status).toBe(fate === "not sent" ? "settled" : "unknown");
      }
      expect(await subject.used(ONE)).toBe(1);
    },
  );
});

describe("a settlement of which a part was not sent", () => {
  test.each<[what: string, cost: number, expected: number]>([
    ["gives nothing back twice", 0, 51],
    ["charges nothing twice", 20, 71],
  ])("%s", async (_what, cost, expected) => {
    const subject = limiterOf();
    await reserve(subject, 1);
    // Of other clients.
    await subject.limiter.limit(BOTH, { cost: 50 });
    const hold = await reserve(subject);
    subject.become(OTHER, "not sent");
    for (let again = 0; again < 5; again++) {
      expect(await hold.settle(cost)).toMatchObject({ status: "not-sent" });
      expect(await subject.used(ONE)).toBe(expected);
    }
    expect(await subject.used(OTHER)).toBe(61);
    subject.become(OTHER, "answered");
    expect(await hold.settle(cost)).toMatchObject({ status: "settled" });
    expect([await subject.used(ONE), await subject.used(OTHER)]).toEqual([expected, expected]);
    const kind = cost === 0 ? "returned" : "charged";
    expect((await hold.settle(cost))[kind as "returned"]).toEqual({ first: 10, second: 10 });
  });

  test("counts a charge once in memory, however often it is not sent", async () => {
    const subject = limiterOf();
    const hold = await reserve(subject);
    subject.become(OTHER, "not sent");
    for (let again = 0; again < 5; again++) await hold.settle(20);
    const { policies } = await subject.limiter.peek(BOTH);
    expect(policies.map(({ remaining }) => remaining)).toEqual([80, 80]);
  });

  test("repeats no part with an unknown result, after any results of the others", async () => {
    const subject = limiterOf();
    await reserve(subject, 1);
    const hold = await reserve(subject);
    subject.become(ONE, "answer lost");
    subject.become(OTHER, "not sent");
    const first = await hold.settle(0);
    expect(first).toMatchObject({ status: "unknown", error: { code: "ERR_STORE_TIMEOUT" } });
    subject.become(ONE, "answered");
    subject.become(OTHER, "answered");
    expect(await hold.settle(0)).toMatchObject({ status: "unknown" });
    expect([await subject.used(ONE), await subject.used(OTHER)]).toEqual([1, 1]);
  });
});

describe("extending a hold that took a slot of one of two policies", () => {
  test("asks only about the slot that it has", async () => {
    const subject = limiterOf([
      concurrency({ name: "streams", by: "one", limit: 2, ttl: "60s" }),
      concurrency({ name: "gpu", by: "one", limit: 2, ttl: "60s" }),
    ]);
    const hold = await subject.limiter.reserve({ one: ONE }, { cost: { gpu: 0 } });
    expect(await hold.extend("60s")).toEqual({ status: "extended" });
    await hold.release();
    expect(await hold.extend("60s")).toEqual({ status: "expired" });
  });
});

test.each<Fate>(["not sent", "lost"])(
  "a ban whose master gives no answer counts no denial of another master, and the next one again: %s",
  async (fate) => {
    const subject = limiterOf([
      fixedWindow({ name: "gate", by: "one", limit: 1, window: "1d" }),
      fixedWindow({ name: "ban", by: "other", limit: 5, window: "1d", counts: "denials" }),
    ]);
    expect((await subject.limiter.limit(BOTH)).allowed).toBe(true);
    const counted: number[] = [];
    for (const each of ["answered", fate, "answered"] as const) {
      subject.become(OTHER, each);
      expect((await subject.limiter.limit(BOTH)).allowed).toBe(false);
      counted.push(await subject.used(OTHER));
    }
    expect(counted).toEqual([1, 1, 2]);
  },
);
