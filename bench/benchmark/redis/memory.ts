import type { BenchRedis } from "./server.ts";
import type { Subject } from "./subject.ts";
import { memoryOf } from "./workload.ts";

const HOUR = 3_600_000;

/** Bytes that an identity takes in Redis, once it has asked in two windows in a row. */
export async function measureMemory(
  server: BenchRedis,
  subject: Subject,
  limit: number,
): Promise<number> {
  const quota = { limit, window: HOUR };
  const identity = "user-of-usual-length";
  // Some take the time from the client: that is how they come by a previous window here.
  const now = Date.now;
  const real = now();
  Date.now = () => real - HOUR;
  const earlier = await subject.call(identity, 1, quota).finally(() => (Date.now = now));
  const call = await subject.call(identity, 1, quota);
  await server.send([earlier, call]);
  const bytes = await memoryOf(server, call);
  await server.redis.flushall();
  return bytes;
}
