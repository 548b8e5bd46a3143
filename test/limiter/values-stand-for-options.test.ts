import { describe, expect, inject, onTestFinished, test, vi } from "vitest";

import * as values from "../../src/index.ts";
import type { Store } from "../../src/store/store.ts";
import * as plain from "../support/limiter/plain.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";

/* A value stands for the options that rules have as data: the same decisions, of the same commands. */

const START_US = Date.UTC(2031, 4, 5, 6, 7, 8) * 1000;
const { client, cluster, fixedWindow, shadow, soft } = values;
const small = { name: "p", limit: 6, window: "1h" } as const;
const large = { name: "p", limit: 400, window: "1h" } as const;
const data = plain.fixedWindow;

type Given = Omit<values.CreateLimiterOptions, "store">;
type AsData = Omit<plain.CreateLimiterOptions, "store">;

const numbers = { gold: { p: { limit: 9 } } };
const entries = { deny: [{ identity: "bob" }], allow: [{ identity: "eve" }] };
const place = { timeZone: "Asia/Kathmandu", anchor: 15 } as const;
const notices: unknown[] = [];
const tell = (...[{ allowed }, { name, kind, share }]: Parameters<values.NoticeListener>) =>
  void notices.push([allowed, name, kind, share]);

/** The value, and the options as data for which it stands. */
const IN_MEMORY: Readonly<Record<string, readonly [Given, AsData]>> = {
  "lease() of a policy": [
    { policies: [fixedWindow({ ...large, lease: values.lease("100ms") })] },
    { policies: [data({ ...large, lease: "100ms" })] },
  ],
  "lease() of a limiter": [
    { policies: [fixedWindow(large)], lease: values.lease("100ms") },
    { policies: [data(large)], lease: "100ms" },
  ],
  'lease("auto")': [
    { policies: [fixedWindow(large)], lease: values.lease("auto") },
    { policies: [data(large)], lease: "auto" },
  ],
  "optimistic()": [
    { policies: [fixedWindow({ ...small, optimistic: values.optimistic() })] },
    { policies: [data({ ...small, optimistic: true })] },
  ],
  "optimistic() of numbers": [
    { policies: [fixedWindow({ ...small, optimistic: values.optimistic({ above: 0 }) })] },
    { policies: [data({ ...small, optimistic: { above: 0 } })] },
  ],
  "shards()": [
    { policies: [fixedWindow({ ...small, shards: values.shards(3) })] },
    { policies: [data({ ...small, shards: 3 })] },
  ],
  "notify() of a share": [
    { policies: [fixedWindow({ ...small, notify: values.notify(0.5, tell) })] },
    { policies: [data({ ...small, notify: 0.5 })], onNotice: tell },
  ],
  "notify() of several shares": [
    { policies: [fixedWindow({ ...small, notify: values.notify([0.5, 1], tell) })] },
    { policies: [data({ ...small, notify: [0.5, 1] })], onNotice: tell },
  ],
  "refundable()": [
    { policies: [fixedWindow({ ...small, refundable: values.refundable() })] },
    { policies: [data({ ...small, refundable: true })] },
  ],
  "denials()": [
    {
      policies: [
        fixedWindow(small),
        fixedWindow({ ...small, name: "b", counts: values.denials() }),
      ],
    },
    { policies: [data(small), data({ ...small, name: "b", counts: "denials" })] },
  ],
  "failures()": [
    { policies: [fixedWindow({ ...small, counts: values.failures() })] },
    { policies: [data({ ...small, counts: "failures" })] },
  ],
  "shadow()": [
    { policies: [fixedWindow({ ...large, name: "l" }), shadow(fixedWindow(small))] },
    { policies: [data({ ...large, name: "l" }), data({ ...small, mode: "shadow" })] },
  ],
  "soft()": [
    { policies: [fixedWindow({ ...large, name: "l" }), soft(fixedWindow(small))] },
    { policies: [data({ ...large, name: "l" }), data({ ...small, mode: "soft" })] },
  ],
  "plans()": [
    { policies: [fixedWindow(small)], plans: values.plans(numbers) },
    { policies: [data(small)], plans: numbers },
  ],
  "lists()": [
    { policies: [fixedWindow(small)], lists: values.lists(entries) },
    { policies: [data(small)], lists: entries },
  ],
  "month()": [
    { policies: [fixedWindow({ ...small, window: values.month() })] },
    { policies: [data({ ...small, window: "month" })] },
  ],
  "month() of a place": [
    { policies: [fixedWindow({ ...small, window: values.month(place) })] },
    { policies: [data({ ...small, window: "month", ...place })] },
  ],
  "week() of a place": [
    { policies: [fixedWindow({ ...small, window: values.week({ anchor: 3 }) })] },
    { policies: [data({ ...small, window: "week", anchor: 3 })] },
  ],
  "day()": [
    { policies: [fixedWindow({ ...small, window: values.day() })] },
    { policies: [data({ ...small, window: "day" })] },
  ],
  "hour() of a zone": [
    { policies: [fixedWindow({ ...small, window: values.hour({ timeZone: "Asia/Kolkata" }) })] },
    { policies: [data({ ...small, window: "hour", timeZone: "Asia/Kolkata" })] },
  ],
};

function sharing() {
  const notes = new Map<string, string>();
  return values.shareDenials({
    get: async (key) => notes.get(key),
    put: (key, text) => void notes.set(key, text),
  });
}

/** Has each limiter draw the same numbers. */
function sameRandom(): void {
  const spy = vi.spyOn(Math, "random").mockImplementation(random(5));
  onTestFinished(() => spy.mockRestore());
}

/** A store that notes what it is asked, and a clock that each call moves by a second. */
function watched() {
  let nowUs = START_US;
  const inner = values.memoryStore({ now: () => nowUs });
  const calls: unknown[] = [];
  const store: Store = {
    ...inner,
    decide(operation, keys, costs, policies, slot, lease) {
      const args = policies.map(({ scriptArguments }) => scriptArguments);
      calls.push([operation, keys, costs, args, slot !== undefined, lease?.own, lease?.spent]);
      return inner.decide(operation, keys, costs, policies, slot, lease);
    },
    refund(keys, costs, ...more) {
      calls.push(["refund", keys, costs]);
      return inner.refund!(keys, costs, ...more);
    },
    reset(keys) {
      calls.push(["reset", keys]);
      return inner.reset(keys);
    },
  };
  return { store, calls, pass: () => (nowUs += 1e6) };
}

/** All that can be asked of a limiter, one after the other. */
async function story(limiter: values.ReservingLimiter, pass: () => void, hasPlans: boolean) {
  const told: unknown[] = [];
  const note = ({ allowed, reason, status, policies, shadow = [] }: values.Decision) =>
    told.push({ allowed, reason, status, rows: [...policies, ...shadow].map(rowOf) });
  const rowOf = ({ name, allowed, limit, remaining }: values.PolicyDecision) => ({
    name,
    allowed,
    limit,
    remaining,
  });
  for (const cost of [1, 2, 1, 3, 1, 1]) {
    note(await limiter.limit("ada", { cost }));
    pass();
  }
  for (const identity of ["bob", "eve"]) note(await limiter.limit(identity));
  if (hasPlans) note(await limiter.limit("ada", { plan: "gold" }));
  note(await limiter.peek("ada"));
  await limiter.charge("cid", 2).then(note);
  await limiter.reset("ada");
  const hold = await limiter.reserve("ada", { cost: 2 }).catch(({ code }) => code);
  if (typeof hold === "object") {
    note(hold);
    told.push(await hold.settle(1));
  } else told.push(hold);
  note(await limiter.limit("ada"));
  // Work in the background of an optimistic decision, or of a notice.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return told;
}

describe("in memory", () => {
  test.each(Object.entries(IN_MEMORY))("%s", async (_name, [given, asData]) => {
    const hasPlans = given.plans !== undefined;
    const told = [];
    for (const make of [
      (store: Store) => values.createLimiter<values.Policy>({ ...given, store }),
      (store: Store) => plain.createLimiter({ ...asData, store }),
    ]) {
      const { store, calls, pass } = watched();
      notices.length = 0;
      sameRandom();
      // Where nothing gives units back, only rules and data could reserve.
      const limiter = make(store);
      told.push({ answers: await story(limiter, pass, hasPlans), calls, notices: [...notices] });
    }
    const [ofValues, ofData] = told as [(typeof told)[0], (typeof told)[0]];
    if (!ofValues.answers.includes("ERR_HOLD")) return expect(ofValues).toEqual(ofData);
    // What follows a reservation that is refused follows none.
    const at = ofValues.answers.indexOf("ERR_HOLD");
    expect(ofValues.answers.slice(0, at)).toEqual(ofData.answers.slice(0, at));
    const before = (calls: unknown[]) => calls.slice(0, 1 + calls.findIndex(isReset));
    expect(before(ofValues.calls)).toEqual(before(ofData.calls));
    expect(ofValues.notices).toEqual(ofData.notices.slice(0, ofValues.notices.length));
    return undefined;
  });
});

const isReset = (call: unknown) => (call as unknown[])[0] === "reset";

describe("in Redis", () => {
  const far = { url: "https://far.example", token: "f" };
  const near = { url: "https://near.example", token: "n" };
  const answer = () => [START_US, 1, 5, 0, 3_600e6];

  /** Has every endpoint answer, and notes what each is sent. */
  function sent() {
    const commands: unknown[] = [];
    const fetching = vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
      commands.push([String(url), JSON.parse(String(init?.body))]);
      return Response.json({ result: answer() });
    });
    onTestFinished(() => fetching.mockRestore());
    return commands;
  }

  const own = (commands: unknown[]) => ({
    evalsha: async (...call: unknown[]) => (commands.push(call), answer()),
    eval: async (...call: unknown[]) => (commands.push(call), answer()),
  });

  test.each<
    [string, (commands: unknown[]) => Partial<Given>, (commands: unknown[]) => Partial<AsData>]
  >([
    ["cluster()", () => ({ redis: cluster(far) }), () => ({ redis: far })],
    ["client()", (to) => ({ redis: client(own(to)) }), (to) => ({ redis: own(to) })],
    [
      "cluster() of a client()",
      (to) => ({ redis: cluster(client(own(to))) }),
      (to) => ({ redis: own(to) }),
    ],
    [
      "region()",
      () => ({ redis: far, region: values.region({ name: "a", redis: near }) }),
      () => ({ redis: far, region: { name: "a", redis: near } }),
    ],
    [
      "shareDenials()",
      () => ({ redis: far, sharedDenials: sharing() }),
      () => ({ redis: far, sharedDenials: sharing() }),
    ],
  ])("%s", async (_name, given, asData) => {
    const told: unknown[] = [];
    for (const make of [
      (to: unknown[]) =>
        values.createLimiter<values.Policy>({ policies: [fixedWindow(small)], ...given(to) }),
      (to: unknown[]) => plain.createLimiter({ policies: [data(small)], ...asData(to) }),
    ]) {
      const commands = sent();
      const limiter = make(commands);
      const reasons = [];
      for (const identity of ["ada", "ada", "bob"]) {
        reasons.push((await limiter.limit(identity)).reason);
      }
      expect(commands.length).toBeGreaterThanOrEqual(3);
      told.push({ reasons, commands });
    }
    // A lookup has the time.
    const [ofValues, ofData] = told.map((each) =>
      JSON.stringify(each).replaceAll(/"\d{16}"/g, "now"),
    );
    expect(ofValues).toBe(ofData);
  });
});

const redis = () => ({ url: inject("redisRestUrl"), token: inject("redisRestToken") });

const SETS: readonly (readonly values.Policy[])[] = [
  [fixedWindow({ name: "w", limit: 10, window: "1d" })],
  [
    values.tokenBucket({ name: "b", limit: 7, refill: 1, per: "1d" }),
    values.slidingWindowLog({ name: "l", limit: 9, window: "1d" }),
  ],
  [
    fixedWindow({ name: "ip", by: "ip", limit: 4, window: "1d" }),
    fixedWindow({ name: "key", by: "key", limit: 6, window: "1d" }),
  ],
];

test("a limiter without features decides in Redis as one with all of them", async () => {
  for (let seed = 1; seed <= runs(6); seed++) {
    const next = random(seed);
    const policies = SETS[seed % SETS.length]!;
    const made = [values.createLimiter<values.Policy>, plain.createLimiter].map((make) =>
      make({
        policies,
        redis: redis(),
        prefix: crypto.randomUUID(),
        denialCache: false,
        timeout: "20s",
      }),
    );
    const isDimensioned = policies[0]!.by !== undefined;
    for (let i = 0; i < 25; i++) {
      const name = `c${Math.floor(next() * 2)}`;
      const identity = isDimensioned ? { ip: `192.0.2.${name.slice(1)}`, key: "k" } : name;
      const cost = Math.floor(next() * 4);
      const kind = (["limit", "limit", "peek", "charge", "reset"] as const)[
        Math.floor(next() * 5)
      ]!;
      const answers = await Promise.all(
        made.map(async (limiter) => {
          if (kind === "reset") return limiter.reset(identity);
          const decision = await (kind === "charge"
            ? limiter.charge(identity, cost)
            : limiter[kind](identity, { cost }));
          const { allowed, reason, status } = decision;
          const rows = decision.policies.map(({ name, remaining }) => [name, remaining]);
          return { allowed, reason, status, rows };
        }),
      );
      expect(answers[1], `seed ${seed}, step ${i}, ${kind}`).toEqual(answers[0]);
    }
  }
});
