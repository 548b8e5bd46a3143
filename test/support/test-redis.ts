import { Redis } from "ioredis";
import { afterAll, inject } from "vitest";

/** A connection to the Redis that all tests share, until the tests of this file have ended. */
export function testRedis(): Redis {
  const redis = new Redis(inject("redisUrl"), { lazyConnect: true });
  afterAll(() => redis.disconnect());
  return redis;
}
