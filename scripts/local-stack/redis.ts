import { pingRedis } from "../support/redis-ping.ts";
import { redisServerPath, startRedisServer } from "../support/redis-server.ts";

export interface LocalRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** Snapshots, as a Redis has that keeps live rules: without them each worker warns that a restart loses them. */
const KEPT = ["--save", "3600 1"];

/**
 * The Redis at `url`, which has to answer; else one of our own; `undefined` where there is no redis-server.
 *
 * @param onEnd called if one of our own ends by itself
 */
export async function openRedis(
  url: string | undefined,
  onEnd: (how: string) => void,
): Promise<LocalRedis | undefined> {
  if (url === undefined)
    return redisServerPath() ? startRedisServer({ onEnd, args: KEPT }) : undefined;
  await pingRedis(url).catch((error: Error) => {
    throw new Error(`REDIS_URL is set, but no Redis answers there: ${error.message}`);
  });
  return { url, async stop() {} };
}
