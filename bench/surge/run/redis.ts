import { setTimeout as sleep } from "node:timers/promises";

import { startRedisServer } from "../../../scripts/support/redis-server.ts";
import { nowMs } from "../clock.ts";

/** A Redis that can be lost, and come back empty at the same address. */
export interface LosableRedis {
  readonly url: string;
  lose(): Promise<void>;
  /** Resolves once it answers again. */
  restart(): Promise<void>;
}

/** Something that happens to the Redis of a run. */
export interface RedisEvent {
  /** Milliseconds after the run began. */
  readonly atMs: number;
  readonly act: (redis: LosableRedis) => Promise<void>;
}

export async function startLosableRedis(): Promise<LosableRedis> {
  let server = await startRedisServer();
  const { url, port } = server;
  return {
    url,
    lose: () => server.stop(),
    async restart() {
      server = await startRedisServer({ port });
    },
  };
}

/** Lets the events happen at their times; rejects with the first that fails. */
export async function happen(
  events: readonly RedisEvent[],
  beginMs: number,
  redis: LosableRedis,
): Promise<void> {
  for (const { atMs, act } of events.toSorted((a, b) => a.atMs - b.atMs)) {
    await sleep(Math.max(0, beginMs + atMs - nowMs()));
    await act(redis);
  }
}
