import { beforeEach, describe, expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import type { Limiter } from "../../src/decide/limiter-types.ts";
import type { SharedDenials } from "../../src/features/shared-denials.ts";
import type { LimiterOptions } from "../../src/limiter/options.ts";
import { StoreError } from "../../src/options/errors.ts";
import { hashSlot } from "../../src/store/cluster/hash-slot.ts";
import { splitStore } from "../../src/store/cluster/split-store.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type Call, type Fate, twoMasters } from "../limiter/two-masters.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import { fixedWindow, slidingWindowLog, tokenBucket } from "../support/limiter/plain.ts";

/*
 * A lease on a policy that counts all clients, beside policies of other dimensions that are decided exactly. The store counts in
 * memory, and all clocks are the test's.
 */

/** Milliseconds, at the start of an hour. */
const START = 3_999_999_600_000;

let clock: number;
/** The calls of the store: the operation, and the dimensions that it was about. */
let asked: [Operation, string][];
let broken: boolean;

beforeEach(() => {
  clock = START;
  asked = [];
  broken = false;
});

const EVERYONE = { name: "everyone", by: "*", limit: 1_000, window: "1h", lease: "100ms" } as const;
const address = tokenBucket({ name: "address", by: "ip", limit: 5, refill: 1, per: "1h" });
const key = slidingWindowLog({ name: "key", by: "key", limit: 10_000, window: "1h" });

function world() {
  const model = openMemoryStore({ now: () => clock * 1000 });
  const store: Store = {
    async decide(...request) {
      asked.push([request[0], request[3].map(({ name }) => name).join()]);
      if (broken) throw new StoreError("ERR_STORE_UNREACHABLE", "gone");
      return model.decide(...request);
    },
    reset: (keys) => model.reset(keys),
  };
  return {
    isolate(options: Partial<LimiterOptions> = {}) {
      const policies = [address, key, fixedWindow(EVERYONE)];
      return builtLimiter(store, { policies, ...options }, { now: () => clock });
    },
  };
}

/** Requests a millisecond apart, each from an address of its own. Returns how many were allowed. */
async function crowd(limiter: Limiter, requests: number): Promise<number> {
  let allowed = 0;
  for (let request = 0; request < requests; request++) {
    clock++;
    const decision = await limiter.limit({ ip: `ip-${clock}`, key: "k" });
    allowed += Number(decision.allowed);
  }
  return allowed;
}

/** Tries until it happens: a loop without an end would hang, because no timer comes in between. */
async function until(what: string, happened: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 10_000; attempt++) if (await happened()) return;
  throw new Error(`There was never ${what}.`);
}

/** The requests, this many, that the store decided about these dimensions. */
const decided = (requests: number, policies: string) =>
  Array.from({ length: requests }, () => ["consume", policies]);

const about = (name: string) => asked.filter(([, policies]) => policies.split(",").includes(name));

const remaining = async (limiter: Limiter, name: string) =>
  (await limiter.peek({ ip: "nobody", key: "k" })).policies.find((each) => each.name === name)!
    .remaining;

describe("a lease on a policy that counts all clients", () => {
  test("costs nothing in quiet times: one call decides all dimensions", async () => {
    const limiter = world().isolate();
    for (let request = 0; request < 50; request++) {
      clock += 20;
      expect((await limiter.limit({ ip: `ip-${request}`, key: "k" })).allowed).toBe(true);
    }
    expect(asked).toEqual(decided(50, "address,key,everyone"));
  });

  test("under load spares the key of all clients: the others are decided by one call each, as before", async () => {
    const everyone = fixedWindow({ ...EVERYONE, limit: 100_000 });
    const limiter = world().isolate({ policies: [address, key, everyone] });
    expect(await crowd(limiter, 900)).toBe(900);
    // Until the demand is known, and then leases alone.
    expect(about("address")).toHaveLength(900);
    expect(asked.slice(0, 7)).toEqual(decided(7, "address,key,everyone"));
    expect(asked.slice(7).filter(([, policies]) => policies === "address,key,everyone")).toEqual(
      [],
    );
    expect(about("everyone").length).toBeLessThan(40);
  });

  test("admits no more than its limit, and tells the rows of all dimensions in the order given", async () => {
    const limiter = world().isolate({
      policies: [fixedWindow({ ...EVERYONE, limit: 300 }), address, key],
    });
    expect(await crowd(limiter, 400)).toBe(300);
    const denied = await limiter.limit({ ip: "ip", key: "k" });
    expect(denied).toMatchObject({
      allowed: false,
      policies: [{ name: "everyone", remaining: 0 }],
    });
    expect(denied.retryAfterMs).toBe(START + 3_600_000 - clock);
  });

  test("counts down one by one", async () => {
    const limiter = world().isolate();
    for (let left = 999; left > 900; left--) {
      clock++;
      const { policies } = await limiter.limit({ ip: `ip-${clock}`, key: "k" });
      expect(policies.map(({ name }) => name)).toEqual(["address", "key", "everyone"]);
      expect(policies[2]!.remaining).toBe(left);
    }
  });
});

describe("a request that another dimension denies", () => {
  test("leaves the shared unit to others, as often as it happens", async () => {
    const limiter = world().isolate({ denialCache: false });
    for (let request = 0; request < 5; request++) await limiter.limit({ ip: "greedy", key: "k" });
    await crowd(limiter, 45);
    for (let request = 0; request < 200; request++) {
      clock++;
      const decision = await limiter.limit({ ip: "greedy", key: "k" });
      expect(decision).toMatchObject({ allowed: false, reason: "limited" });
      const [own, , everyone] = decision.policies;
      expect([own!.allowed, everyone!.allowed]).toEqual([false, true]);
      expect(everyone!.remaining).toBeLessThanOrEqual(950);
    }
    // The leased units expire with the lease: they are the only loss of units that no request took.
    asked = [];
    expect(await crowd(limiter, 1)).toBe(1);
    expect(asked).toContainEqual(["consume", "address,key"]);
    expect(await remaining(limiter, "key")).toBe(10_000 - 51);
  });

  test("puts it back with the time that it had", async () => {
    const limiter = world().isolate({ denialCache: false });
    for (let request = 0; request < 5; request++) await limiter.limit({ ip: "greedy", key: "k" });
    await crowd(limiter, 60);
    // The one leased unit of a lease, spent and put back until that is over.
    await until("a lease", async () => {
      await crowd(limiter, 1);
      return asked.at(-2)![0] === "lease";
    });
    const leasedAt = clock;
    asked = [];
    for (clock = leasedAt + 1; clock < leasedAt + 99; clock++) {
      await limiter.limit({ ip: "greedy", key: "k" });
    }
    expect(asked).toEqual(decided(98, "address,key"));
    clock = leasedAt + 100;
    await limiter.limit({ ip: "greedy", key: "k" });
    expect(about("everyone")).toHaveLength(1);
  });
});

describe("while shared units are short", () => {
  test("the request is denied by that alone, and takes nothing of the others", async () => {
    const { isolate } = world();
    const limiter = isolate({
      policies: [address, key, tokenBucket({ ...BUCKET, limit: 100 })],
      denialCache: false,
    });
    const allowed = await crowd(limiter, 400);
    asked = [];
    const more = await crowd(limiter, 100);
    // The units that refill in these hundred milliseconds.
    expect(more).toBe(10);
    expect(about("address").length).toBe(more);
    expect(await remaining(limiter, "key")).toBe(10_000 - allowed - more);
  });
});

const BUCKET = {
  name: "everyone",
  by: "*",
  limit: 100,
  refill: 100,
  per: "1s",
  lease: "100ms",
} as const;

describe("a denial by a spent lease", () => {
  const everyone = fixedWindow({ ...EVERYONE, limit: 300 });

  test.each([
    ["in any order", [address, key, everyone]],
    [
      "of another dimension with a lease",
      [fixedWindow({ ...EVERYONE, name: "each", by: "key" }), everyone],
    ],
    ["alone", [everyone]],
  ])("says `limited` only with the rows of all policies: %s", async (_, policies) => {
    const limiter = world().isolate({ policies, denialCache: false });
    const seen = new Set<string>();
    for (let request = 0; request < 600; request++) {
      clock++;
      asked = [];
      const decision = await limiter.limit({ ip: `ip-${clock}`, key: "k" });
      if (decision.allowed) continue;
      const names = decision.policies.map(({ name }) => name);
      const isAsked = asked.length > 0;
      expect([decision.reason, names]).toEqual(
        isAsked
          ? ["limited", policies.map(({ name }) => name)]
          : ["cached-denial", [everyone.name]],
      );
      seen.add(decision.reason);
    }
    expect(seen).toEqual(new Set(["limited", "cached-denial"]));
  });

  test("fills a ban, and the response that begins the ban tells its end", async () => {
    const ban = fixedWindow({ name: "ban", by: "ip", limit: 40, window: "1d", counts: "denials" });
    const limiter = world().isolate({ policies: [everyone, ban], denialCache: false });
    expect(await crowd(limiter, 400)).toBe(300);
    const ends: number[] = [];
    for (let denial = 1; denial <= 60; denial++) {
      clock++;
      const { allowed, retryAfterMs } = await limiter.limit({ ip: "greedy" });
      expect(allowed).toBe(false);
      ends.push(retryAfterMs + clock);
    }
    const day = 86_400_000;
    const ended = Math.ceil(START / day) * day;
    // Redis is asked between these, when the next lease is denied.
    expect(ends.findIndex((end) => end === ended)).toBe(39);
    expect(new Set(ends)).toEqual(new Set([START + 3_600_000, ended]));
  });
});

test("a lease that is denied puts back the units spent of another", async () => {
  const tenant = fixedWindow({ ...EVERYONE, name: "tenant", by: "tenant", limit: 100 });
  const limiter = world().isolate({
    policies: [fixedWindow(EVERYONE), tenant],
    denialCache: false,
  });
  const left = async (name: string) =>
    (await limiter.limit({ tenant: name })).policies.find((each) => each.name === "everyone")
      ?.remaining;
  const isDenied = async (name: string) => !(await limiter.limit({ tenant: name })).allowed;
  await until("a denial", async () => {
    clock++;
    return isDenied("busy");
  });
  const denied = async () => {
    asked = [];
    expect(await isDenied("busy")).toBe(true);
    return asked.some(([operation, policies]) => operation === "lease" && policies === "tenant");
  };
  // Until a shared lease is young, and one of the tenant's may be asked for.
  await until("a denied lease", async () => {
    clock++;
    const before = await left(`other-${clock}`);
    if (!(await denied()) || about("everyone").length > 0) return false;
    expect(await left("another")).toBe(before! - 1);
    return true;
  });
});

describe("while the store is gone", () => {
  test("units are spent once: the held ones, and then those of each isolate's own count", async () => {
    const limiter = world().isolate({ policies: [key, fixedWindow({ ...EVERYONE, limit: 100 })] });
    const before = await crowd(limiter, 60);
    broken = true;
    const during = await crowd(limiter, 200);
    expect(before + during).toBe(100);
  });

  test("a denial of another dimension puts them back", async () => {
    const limiter = world().isolate({
      policies: [address, fixedWindow({ ...EVERYONE, limit: 100 })],
      denialCache: false,
    });
    for (let request = 0; request < 5; request++) await limiter.limit({ ip: "greedy", key: "k" });
    const before = 5 + (await crowd(limiter, 55));
    broken = true;
    for (let request = 0; request < 20; request++) {
      expect((await limiter.limit({ ip: "greedy", key: "k" })).allowed).toBe(false);
    }
    expect(before + (await crowd(limiter, 200))).toBe(100);
  });

  test("leased units are no reason to admit a request that another dimension fails closed", async () => {
    const limiter = world().isolate({
      policies: [{ ...address, onFailure: "closed" }, fixedWindow({ ...EVERYONE, limit: 100 })],
    });
    const before = await crowd(limiter, 60);
    broken = true;
    expect(await limiter.limit({ ip: "ip" })).toMatchObject({ status: 503 });
    broken = false;
    expect(before + (await crowd(limiter, 200))).toBe(100);
  });
});

test("while the master of a lease is silent, the other one decides its own policies in every request", async () => {
  let fate: Fate = "answered";
  const isLeased = (name: string) => name.includes("{*}");
  const client = ["a", "b", "c", "d"].find(
    (name) => hashSlot(`tg:{${name}}:x`) % 2 !== hashSlot("tg:{*}:x") % 2,
  )!;
  const masters = twoMasters(
    () => clock * 1000,
    (name) => (isLeased(name) ? fate : "answered"),
  );
  const policies = [key, fixedWindow(EVERYONE)];
  const limiter = builtLimiter(splitStore(masters.store), { policies }, { now: () => clock });
  const load = async () => {
    for (let request = 0; request < 200; request++) {
      clock++;
      expect((await limiter.limit({ key: client })).allowed).toBe(true);
    }
  };
  await load();
  expect(masters.calls.filter(({ call }) => call === ("lease" as Call)).length).toBeGreaterThan(1);
  fate = "not sent";
  await load();
  const { policies: rows } = await limiter.peek({ key: client });
  expect(rows[0]!.remaining).toBe(key.limit - 400);
});

test("a shadow policy beside a lease denies nothing and lets no request pass uncounted when it has no more", async () => {
  const everyone = fixedWindow({ ...EVERYONE, limit: 200 });
  const trial = fixedWindow({ ...EVERYONE, name: "trial", limit: 20, mode: "shadow" });
  expect(await crowd(world().isolate({ policies: [everyone, trial] }), 400)).toBe(200);
});

test("a reset drops the leased units under every plan", async () => {
  const limiter = world().isolate({
    policies: [fixedWindow({ ...EVERYONE, by: "key" }), address],
    plans: { gold: { everyone: { limit: 2_000 } } },
  });
  for (let request = 0; request < 100; request++) {
    clock++;
    await limiter.limit({ key: "k", ip: `ip-${clock}` }, { plan: "gold" });
  }
  await limiter.reset({ key: "k" });
  asked = [];
  const { policies } = await limiter.limit({ key: "k", ip: "ip" }, { plan: "gold" });
  expect(policies[0]!.remaining).toBe(1_999);
  expect(asked).toEqual([["consume", "everyone,address"]]);
});

test("denials of exact dimensions are shared beside a lease, those of the leased one are not", async () => {
  const shared: string[] = [];
  const published: number[] = [];
  const sharedDenials = {
    share({ policies }: { readonly policies: readonly { readonly name: string }[] }) {
      shared.push(policies.map(({ name }) => name).join());
      return {
        read: async () => undefined,
        publish: () => published.push(clock),
        forget: () => {},
      };
    },
  } as unknown as SharedDenials;
  const limiter = world().isolate({ sharedDenials });
  expect(shared).toEqual(["address", "key"]);
  const greedy = () => limiter.limit({ ip: "greedy", key: "k" });
  for (let request = 0; request < 6; request++) await greedy();
  // After the first denial has expired, others are told of the next.
  clock += 3_600_001;
  for (let request = 0; request < 3; request++) await greedy();
  expect(published).toEqual([clock]);
});

test("costs that differ within a leased dimension are decided by the store", async () => {
  const limiter = world().isolate({
    policies: [fixedWindow(EVERYONE), fixedWindow({ ...EVERYONE, name: "tokens", limit: 10_000 })],
  });
  for (let request = 0; request < 50; request++) {
    clock++;
    await limiter.limit({}, { cost: { tokens: 5 } });
  }
  expect(asked).toEqual(decided(50, "everyone,tokens"));
});
