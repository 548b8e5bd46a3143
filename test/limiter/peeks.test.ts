import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, inject, test } from "vitest";

import { everyPolicy } from "../support/every-policy.ts";
import {
  createLimiter,
  fixedWindow,
  type Limiter,
  type Policy,
  slidingWindowLog,
} from "../support/limiter/plain.ts";
import { some } from "../support/runs.ts";

/* `peek()` looks, on a real Redis: no byte of a key and no expiry changes, under any plan of the client. */

const LIMIT = 40;
const WINDOW = "1d";
const redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };

/**
 * Of each algorithm: a tenth of the limit, ten times of it, a fiftieth of the time, which is another rate or window, and longer
 * windows. A calendar gets other boundaries, and a window that begins with its first request gets those of the clock.
 */
const CHANGES = {
  less: { limit: LIMIT / 10 },
  more: { limit: LIMIT * 10 },
  sooner: { per: "30m", window: "30m" },
  later: { per: "3d", window: "3d" },
  nearby: { timeZone: "Europe/London" },
  elsewhere: { timeZone: "Asia/Tokyo", aligned: true },
} as const;

/** The windows of a calendar have other options than those of a length. */
const CALENDAR = fixedWindow({ limit: LIMIT, window: "day", timeZone: "Europe/Berlin" });
const POLICIES = [
  ...everyPolicy(LIMIT, WINDOW),
  fixedWindow({ limit: LIMIT, window: WINDOW, aligned: false }),
  CALENDAR,
];

const numbersOf = (policy: Policy, changes: object) =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([option]) => option in policy && !(option === "window" && policy === CALENDAR),
    ),
  );

function limiterOf(policy: Policy, others: readonly Policy[] = []): Limiter {
  const name = "orders";
  const plans = Object.fromEntries(
    Object.entries(CHANGES).map(([plan, changes]) => [
      plan,
      { [name]: numbersOf(policy, changes) },
    ]),
  );
  const policies = [{ ...policy, name }, ...others] as Policy[];
  return createLimiter({ redis, timeout: "10s", policies, plans, denialCache: false });
}

let direct: Redis;
beforeAll(() => {
  direct = new Redis(inject("redisUrl"));
});
afterAll(() => direct.quit());

/** Everything that Redis keeps of an identity: the bytes of each key, and the moment at which it expires. */
async function stateOf(identity: string): Promise<Record<string, unknown>> {
  const keys = await direct.keys(`*{${identity}}*`);
  const states = keys.map(async (key) => [
    key,
    [(await direct.dumpBuffer(key)).toString("hex"), await direct.pexpiretime(key)],
  ]);
  return Object.fromEntries(await Promise.all(states)) as Record<string, unknown>;
}

const beside = [slidingWindowLog({ name: "beside", limit: 500, window: WINDOW })];

/** The units taken before the look: part of the limit, and half as much again as all of it. */
const TAKEN = [3, LIMIT * 1.5];

const PLANS = [undefined, ...Object.keys(CHANGES)];
const STATES = PLANS.flatMap((plan) => TAKEN.map((units) => [plan, units] as const));

test.for(
  POLICIES.flatMap((policy) =>
    [[], beside].map((others) => ({ algorithm: policy.algorithm, policy, others })),
  ),
)("$algorithm, beside $others.length others", async ({ policy, others }) => {
  const limiter = limiterOf(policy, others);
  for (const [before, units] of some(STATES)) {
    const identity = crypto.randomUUID();
    await limiter.charge(identity, { orders: units }, { plan: before });
    const taken = await stateOf(identity);
    expect(Object.keys(taken).length).toBeGreaterThan(0);
    for (const plan of PLANS) {
      for (const cost of [0, 4]) {
        const { reason } = await limiter.peek(identity, { plan, cost });
        expect(["allowed", "limited"]).toContain(reason);
      }
    }
    expect(await stateOf(identity)).toEqual(taken);
  }
});
