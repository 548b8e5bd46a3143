import { setTimeout as sleep } from "node:timers/promises";

import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";

import { createLimiter, fixedWindow } from "../../src/index.ts";
import { figures } from "../support/chaos/figures.ts";
import { delay, dropReplies, type Fault, none, resetBefore } from "../support/fault-proxy.ts";
import { random } from "../support/random.ts";
import { least, runs, some } from "../support/runs.ts";
import { charges } from "./charges.ts";
import { startOwnStore, TOKEN } from "./own-store.ts";
import { LIMIT } from "./subject.ts";
import { SUBJECTS } from "./subjects.ts";

const CALLS = runs(400);

/** As many at a time as an isolate may well have. */
async function inParallel(calls: number, call: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < calls) await call(next++);
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

/** Of a hundred requests 5 never arrive, 10 run and their replies are lost, and 3 run after their timeout. */
function roulette(seed: number): Fault {
  const chance = random(seed);
  let lost = false;
  return async (exchange) => {
    const drawn = 100 * chance();
    if (drawn < 5) return resetBefore(exchange);
    if (drawn < 15) return dropReplies(1)(exchange);
    if (drawn < 18) return delay(600)(exchange);
    // A short run draws so few that it might lose no reply of a script that ran: it loses the first of them.
    const reply = await exchange.forward();
    if (lost || reply.status !== 200 || !exchange.body.includes('"consume"'))
      return exchange.answer(reply);
    lost = true;
    exchange.reset();
  };
}

const LOSSES = [
  ["requests lost, replies lost, requests late", () => roulette(8), "400ms"],
  ["10 % of the replies dropped after execution", () => dropReplies(0.1, 7), "5000ms"],
] as const;

describe.concurrent.each(some(LOSSES))(
  "no charge is ever taken twice: %s",
  (name, fault, timeout) => {
    test.for(SUBJECTS)(
      "by a $name, and the script forgotten now and then",
      // Every lost request costs a pause, and the machine may be busy.
      { timeout: 60_000 },
      async ({ name: kind, start }) => {
        const store = await startOwnStore();
        const { proxy } = store;
        const redis = new Redis(store.redisUrl, { disableClientInfo: true });
        const subject = await start({ url: proxy.url, token: TOKEN, timeout });
        try {
          proxy.fault = fault();
          const users = Array.from({ length: CALLS }, () => crypto.randomUUID());
          const reasons: string[] = [];
          await inParallel(CALLS, async (i) => {
            if (i % 100 === 50) await redis.script("FLUSH");
            reasons[i] = (await subject.ask("open", users[i]!)).reason;
            // While the breaker is open, calls would be used up without a test.
            if (reasons[i] !== "allowed") await sleep(150);
          });
          proxy.fault = none;
          await proxy.settled();

          const clean = createLimiter({
            redis: { url: proxy.url, token: TOKEN },
            policies: [fixedWindow({ name: "open", limit: LIMIT, window: "366d" })],
            timeout: "10s",
          });
          const counts = { allowed: 0, unavailable: 0, "counted unheard": 0, counted: 0 };
          for (const [i, user] of users.entries()) {
            const partition = await subject.partition(user);
            const [row] = (await clean.peek(partition)).policies;
            const counted = LIMIT - row!.remaining;
            // Once, if and only if the request reached Redis and ran there.
            expect(counted).toBeLessThanOrEqual(1);
            expect(counted).toBe(charges(proxy.forwarded, partition).costs.length);
            if (reasons[i] === "allowed") {
              expect(counted).toBe(1);
              counts.allowed++;
            } else {
              expect(reasons[i]).toBe("store-unavailable");
              counts.unavailable++;
              counts["counted unheard"] += counted;
            }
            counts.counted += counted;
          }
          expect(counts["counted unheard"]).toBeGreaterThan(least(CALLS / 40));
          figures(`charged once, ${kind}, ${name}`, {
            calls: CALLS,
            ...counts,
            "counted twice": 0,
            "replies dropped": proxy.dropped,
          });
        } finally {
          redis.disconnect();
          await subject.stop();
          await store.stop();
        }
      },
    );
  },
);

test("the sum of unique costs, consumed and charged, is the sum of those that reached Redis", async () => {
  const store = await startOwnStore();
  const { proxy } = store;
  const limit = 1_000_000_000;
  const limiter = createLimiter({
    redis: { url: proxy.url, token: TOKEN },
    policies: [fixedWindow({ limit, window: "366d" })],
    timeout: "10s",
    onFailure: "open",
    onStoreError: () => {},
  });
  try {
    await limiter.peek("everybody");
    proxy.fault = dropReplies(0.1, 9);
    const lost: number[] = [];
    await inParallel(CALLS, async (i) => {
      const cost = 1_000 + i;
      const { reason } = await (i % 2 === 0
        ? limiter.limit("everybody", { cost })
        : limiter.charge("everybody", cost));
      if (reason !== "allowed") lost.push(cost);
    });
    proxy.fault = none;
    while ((await limiter.peek("everybody")).reason !== "allowed") await sleep(20);

    const { costs } = charges(proxy.forwarded, "everybody");
    expect(new Set(costs).size).toBe(costs.length);
    const { policies } = await limiter.peek("everybody");
    expect(limit - policies[0]!.remaining).toBe(costs.reduce((sum, cost) => sum + cost, 0));
    expect(lost.length).toBeGreaterThanOrEqual(proxy.dropped);
    figures("charged once, unique costs, 10 % of the replies dropped after execution", {
      calls: CALLS,
      "reached Redis": costs.length,
      "replies dropped": proxy.dropped,
      "counted twice": 0,
      "units counted": limit - policies[0]!.remaining,
    });
  } finally {
    await store.stop();
  }
});
