import type { Redis } from "ioredis";

import type { VirtualTime } from "../../support/virtual-time.ts";
import { clockOf, openEras, type PromiseOf, START } from "./clocks.ts";
import { objectPools, redisPools } from "./nearby.ts";
import { standingRedis } from "./standing-redis.ts";
import type { Server } from "./story.ts";

interface ServerParts {
  readonly redis: Redis;
  readonly time: VirtualTime;
  readonly kind: "home" | "region" | "objects";
  readonly count: (what: string) => void;
}

/** Opens a store of a story, and does to it what the story says. */
export function openServer(
  { redis, time, kind, count }: ServerParts,
  server: Server,
  promiseOf: PromiseOf,
) {
  const place = kind === "home" ? "home" : "region";
  const clock = clockOf(time, server, () => {
    eras.endAll();
    count(`${place}-clock-set`);
  });
  const eras = openEras(clock.asNow, promiseOf);
  const { client, flush } = standingRedis(redis, `${crypto.randomUUID()}:`, clock.now);
  const pools = kind === "objects" ? objectPools(clock.now) : redisPools(client);
  for (const at of server.flushes) {
    time.at(START + at, () => {
      eras.endAll();
      count(`${place}-flushed`);
      pools.flush();
      void time.hold(flush());
    });
  }
  return { client, pools, flush, eras, isDead: () => server.isDead(time.now() - START) };
}
