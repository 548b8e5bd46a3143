import type { Redis } from "ioredis";

import type { VirtualTime } from "../../support/virtual-time.ts";
import { clockOf, openEras, type PromiseOf, START } from "./clocks.ts";
import { standingRedis } from "./standing-redis.ts";
import type { Server } from "./story.ts";

interface ServerParts {
  readonly redis: Redis;
  readonly time: VirtualTime;
  readonly kind: "home" | "region";
  readonly count: (what: string) => void;
}

/** Opens a store of a story, and does to it what the story says. */
export function openServer(
  { redis, time, kind, count }: ServerParts,
  server: Server,
  promiseOf: PromiseOf,
) {
  const clock = clockOf(time, server, () => {
    eras.endAll();
    count(`${kind}-clock-set`);
  });
  const eras = openEras(clock.asNow, promiseOf);
  const { client, flush } = standingRedis(redis, `${crypto.randomUUID()}:`, clock.now);
  for (const at of server.flushes) {
    time.at(START + at, () => {
      eras.endAll();
      count(`${kind}-flushed`);
      void time.hold(flush());
    });
  }
  return { client, flush, eras, isDead: () => server.isDead(time.now() - START) };
}
