import { describe, expect, test } from "vitest";

import {
  clientKey,
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
} from "../support/limiter/plain.ts";
import { watchedStore } from "../support/limiter/watched-store.ts";

const UNTIL = "2027-01-01T00:00:10Z";

/** A limiter of one request a day. */
function limiterOf(lists: CreateLimiterOptions["lists"], by?: string) {
  const { store, world, asked } = watchedStore(Date.parse("2027-01-01T00:00:00Z") * 1000);
  const policy = fixedWindow({ name: "p", limit: 1, window: "1d", ...(by && { by }) });
  return { world, asked, limiter: createLimiter({ store, policies: [policy], lists: lists! }) };
}

const lists = {
  allow: [{ cidr: "10.1.0.0/16" }, { identity: "user:1" }],
  deny: [
    { cidr: "10.0.0.0/8" },
    { identity: "user:666", until: UNTIL },
    { asn: 64496 },
    { country: "KP" },
  ],
};

describe("a limiter with lists", () => {
  test("exempts, and refuses, without a call", async () => {
    const { limiter, asked } = limiterOf(lists);
    for (const identity of ["10.1.2.3", "user:1"]) {
      for (let i = 0; i < 3; i++) {
        const decision = await limiter.limit(identity, { cost: 7 });
        expect(decision).toMatchObject({ allowed: true, reason: "exempt", status: 200 });
        expect(decision.policies).toEqual([]);
      }
    }
    for (const identity of ["10.2.0.1", "user:666"]) {
      const decision = await limiter.limit(identity);
      expect(decision).toMatchObject({ allowed: false, reason: "blocked", status: 403 });
      expect(decision.response().status).toBe(403);
    }
    expect(asked).toEqual([]);
  });

  test("knows addresses as clientKey() makes them, and refuses what it makes of no address", async () => {
    const { limiter, asked } = limiterOf({
      allow: [{ cidr: "2001:db8:1::/48" }],
      deny: [{ cidr: "2001:db8::/32" }],
    });
    const reasons = [];
    for (const address of ["2001:db8::1", "2001:db8:1::1", "", undefined]) {
      reasons.push((await limiter.limit(clientKey(address))).reason);
    }
    expect(reasons).toEqual(["blocked", "exempt", "blocked", "blocked"]);
    expect(asked).toEqual([]);
    expect((await limiter.limit(clientKey("2001:db9::1"))).reason).toBe("allowed");
  });

  test("looks an entry up until its end, by the store's clock", async () => {
    const { world, limiter } = limiterOf(lists);
    world.nowUs = Date.parse(UNTIL) * 1000 - 1;
    expect((await limiter.limit("user:666")).reason).toBe("blocked");
    world.nowUs = Date.parse(UNTIL) * 1000;
    expect((await limiter.limit("user:666")).reason).toBe("allowed");
  });

  test.for([
    [{ ip: "10.2.3.4", key: "k" }, "blocked"],
    [{ ip: "10.1.3.4", key: "k" }, "exempt"],
    [{ ip: "192.0.2.1", key: "user:666" }, "blocked"],
    [{ ip: "192.0.2.1", key: "k", asn: "64496" }, "blocked"],
    [{ ip: "192.0.2.1", key: "k", country: "KP" }, "blocked"],
    [{ ip: "192.0.2.1", key: "k", country: "CH", asn: "1" }, "allowed"],
    // Only the dimension `ip` holds an address, and only those of their names a network and a country.
    [{ key: "10.2.3.4" }, "allowed"],
    [{ ip: undefined, key: "k" }, "blocked"],
    [{ ip: "", key: "k" }, "blocked"],
    [{ ip: "unknown", key: "k" }, "blocked"],
    [{ ip: undefined, key: "user:1" }, "exempt"],
    [{ ip: "192.0.2.1", key: "KP" }, "allowed"],
    [{ ip: "192.0.2.1", key: "k", user: "user:666" }, "blocked"],
  ] as const)("with dimensions %j is %s", async ([identity, reason]) => {
    const { limiter } = limiterOf(lists, "key");
    expect((await limiter.limit(identity)).reason).toBe(reason);
  });

  test.for([{ ip: "11.0.0.1" }, { asn: "64500" }, { country: "CH" }, { user: "9" }])(
    "finds the text of each dimension, such as %j",
    async (identity) => {
      const [[by, text]] = Object.entries(identity) as [[string, string]];
      const { limiter, asked } = limiterOf({ deny: [{ identity: text }] }, by);
      expect((await limiter.limit(identity)).reason).toBe("blocked");
      expect(asked).toEqual([]);
    },
  );

  test("charges and resets clients that it exempts or refuses", async () => {
    const { world, limiter, asked } = limiterOf(lists);
    await limiter.charge("user:666", 1);
    expect(asked).toMatchObject([{ call: "charge" }]);
    world.nowUs = Date.parse(UNTIL) * 1000;
    expect((await limiter.limit("user:666")).allowed).toBe(false);
    await limiter.reset("user:666");
    expect((await limiter.limit("user:666")).allowed).toBe(true);
  });

  test("still refuses a value that is no identity", async () => {
    const { limiter } = limiterOf(lists);
    for (const identity of ["", null, undefined, 7]) {
      await expect(limiter.limit(identity as string)).rejects.toMatchObject({
        code: "ERR_IDENTITY",
      });
    }
  });
});
