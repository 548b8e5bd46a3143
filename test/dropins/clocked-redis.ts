import { Redis } from "ioredis";
import { inject, onTestFinished, vi } from "vitest";

import { fromIoredis } from "../../src/node.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { redisWithClock } from "../support/redis-with-clock.ts";

/** A connection to the shared Redis, until the test has ended. */
export function connect(url = inject("redisUrl")): Redis {
  const redis = new Redis(url, { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 });
  redis.on("error", () => {});
  onTestFinished(() => redis.disconnect());
  return redis;
}

export interface StandingClock {
  pass(milliseconds: number): void;
  /** Goes on to the beginning of a window of this length. */
  toGrid(windowMs: number): void;
}

/** Lets the process's clocks stand still until the test moves them: an hour ahead, so that keys outlive the test. */
export function standStill(): StandingClock {
  // The peers' stores in memory sweep in intervals.
  vi.useFakeTimers({
    toFake: ["Date", "performance", "setInterval", "clearInterval"],
    now: Date.now() + 3_600_000,
  });
  onTestFinished(() => void vi.useRealTimers());
  const pass = (milliseconds: number) => void vi.advanceTimersByTime(milliseconds);
  return { pass, toGrid: (windowMs) => pass(windowMs - (Date.now() % windowMs)) };
}

/** A real Redis whose clock is `Date`, also for scripts that read none. */
export function redisByDate(): RedisClient {
  const redis = connect();
  const timed = redisWithClock(redis, () => Date.now() * 1000);
  const untimed = fromIoredis(redis);
  return {
    ...timed,
    eval: (script, ...call) => (script.includes("TIME") ? timed : untimed).eval(script, ...call),
  };
}

/** A real Redis, how many commands it was sent, and how many a call sends. */
export function countedRedis() {
  const client = fromIoredis(connect());
  let sent = 0;
  return {
    costOf: async (call: () => Promise<unknown>): Promise<number> => {
      const before = sent;
      await call();
      return sent - before;
    },
    redis: {
      evalsha: (...call) => (sent++, client.evalsha(...call)),
      eval: (...call) => (sent++, client.eval(...call)),
    } as RedisClient,
    sent: () => sent,
  };
}

/** A Redis that cannot be reached. */
export const noRedis: RedisClient = {
  evalsha: () => Promise.reject(new Error("connect ECONNREFUSED")),
  eval: () => Promise.reject(new Error("connect ECONNREFUSED")),
};

/** A prefix of the test's own. */
export const ownPrefix = (): string => `t-${crypto.randomUUID()}`;

/** Says nothing on the console until the test has ended. */
export function quietly(): void {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
}
