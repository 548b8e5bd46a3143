import { describe, expect, test } from "vitest";

import { concurrency } from "../../src/algorithms/concurrency.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Hold } from "../../src/decide/hold.ts";
import { EVERY_FEATURE } from "../../src/limiter/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../src/limiter/settings.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { hashSlot } from "../../src/store/cluster/hash-slot.ts";
import { splitStore } from "../../src/store/cluster/split-store.ts";
import { compile } from "../support/compile-policy.ts";
import { random } from "../support/random.ts";
import { least, runs } from "../support/runs.ts";
import { type Call, type Fate, twoMasters } from "./two-masters.ts";

/* Holds over two masters of a Redis Cluster, of which one or the other does not answer for a while. */

const NOW_US = 1_800_000_000_000_000;

/** Identities whose keys lie on different masters. */
const ONE = "a";
const OTHER = ["b", "c", "d", "e"].find(
  (name) => hashSlot(`tg:{${name}}:x`) % 2 !== hashSlot(`tg:{${ONE}}:x`) % 2,
)!;
const BOTH = { one: ONE, other: OTHER };

const window = (name: string, by: string) =>
  fixedWindow({ name, by, limit: 100, window: "1d", refundable: true });

function limiterOf(
  policies: readonly Policy[] = [window("first", "one"), window("second", "other")],
) {
  const fates = new Map<string, (call: Call) => Fate>();
  let nowMs = 1_000;
  const masters = twoMasters(
    () => NOW_US,
    (key, call) =>
      fates.get(key.slice(key.indexOf("{") + 1, key.indexOf("}")))?.(call) ?? "answered",
  );
  const settings = { ...DEFAULTS, policies: compile(policies), now: () => nowMs };
  return {
    limiter: buildLimiter(splitStore(masters.store), settings, EVERY_FEATURE),
    calls: masters.calls,
    /** Lets every call about an identity meet this fate. */
    become: (identity: string, fate: Fate) => void fates.set(identity, () => fate),
    fates,
    pass: (ms: number) => (nowMs += ms),
    /** The units that a master has counted for an identity, past the limiter. */
    async used(identity: string): Promise<number> {
      let units = 0;
      for (const policy of compile(policies)) {
        if (policy.by !== (identity === ONE ? "one" : "other")) continue;
        const key = `tg:{${identity}}:${policy.key}`;
        const { rows } = await masters.masterOf(key).decide("peek", [key], [1], [policy]);
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

  test("settles there at the actual cost, and charges the excess", async () => {
    const subject = limiterOf();
    await reserve(subject, 1);
    subject.become(OTHER, "not sent");
    const less = await reserve(subject);
    expect(await less.settle(4)).toMatchObject({ returned: { first: 6 } });
    expect(await subject.used(ONE)).toBe(5);
    const more = await reserve(subject);
    await more.settle(25);
    expect(await subject.used(ONE)).toBe(30);
  });

  test("keeps the slots that the other has, and says so", async () => {
    const subject = limiterOf([
      concurrency({ name: "streams", by: "one", limit: 2, ttl: "60s" }),
      window("second", "other"),
    ]);
    await (await reserve(subject, 1)).release();
    subject.become(OTHER, "lost");
    const hold = await reserve(subject, 1);
    expect(await hold.extend("60s")).toEqual({ status: "extended" });
    const extended = subject.calls.filter(({ call }) => call === "extend");
    expect(extended).toHaveLength(1);
    await hold.release();
    expect(await subject.used(ONE)).toBe(0);
  });
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

test("after any fate of the calls, no hold gives back units of another, and a settled one counts exactly", async () => {
  let settled = 0;
  let other = 0;
  for (let seed = 1; seed <= runs(400); seed++) {
    const draw = random(seed);
    const subject = limiterOf();
    await reserve(subject, 1);
    const weights: [Fate, number][] = [
      ["answered", 0.5 + draw() / 2],
      ["not sent", 0.5],
      ["lost", 0.75],
      ["answer lost", 1],
    ];
    const fate = (): Fate => {
      const drawn = draw();
      return weights.find(([, most], i) => (i === 0 ? drawn < most : draw() < most))![0];
    };
    for (const identity of [ONE, OTHER]) subject.fates.set(identity, fate);
    /** The bounds of each master's count, with any lost calls. */
    const lowest = new Map([
      [ONE, 1],
      [OTHER, 1],
    ]);
    const most = new Map([
      [ONE, 1],
      [OTHER, 1],
    ]);
    for (let hold = 0; hold < 6; hold++) {
      const units = 1 + Math.floor(draw() * 8);
      const cost = Math.floor(draw() * 10);
      const from = subject.calls.length;
      const held = await reserve(subject, units);
      const consumed = subject.calls.slice(from).filter(({ call }) => call === "consume");
      const ranOn = (identity: string) =>
        consumed.some(
          ({ keys, fate: met }) => keys[0]!.includes(`{${identity}}`) && met.startsWith("answer"),
        );
      let result = await held.settle(cost);
      for (let again = 0; again < 3 && draw() < 0.7; again++) result = await held.settle(cost);
      if (result.status === "settled") settled++;
      else other++;
      for (const identity of [ONE, OTHER]) {
        const took = held.allowed && ranOn(identity);
        const beyond = Math.max(0, cost - units);
        const isExact = took && result.status === "settled";
        lowest.set(
          identity,
          lowest.get(identity)! + (isExact ? cost : took ? Math.min(cost, units) : 0),
        );
        // A charge above the reservation may reach a master that did not answer before.
        const bound = isExact ? cost : ranOn(identity) ? Math.max(cost, units) : beyond;
        most.set(identity, most.get(identity)! + bound);
      }
    }
    for (const identity of [ONE, OTHER]) {
      const used = await subject.used(identity);
      expect([seed, identity, used >= lowest.get(identity)!]).toEqual([seed, identity, true]);
      expect([seed, identity, used <= most.get(identity)!]).toEqual([seed, identity, true]);
    }
  }
  expect(settled).toBeGreaterThan(least(200));
  expect(other).toBeGreaterThan(least(200));
});
