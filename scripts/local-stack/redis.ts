import { pingRedis } from "../support/redis-ping.ts";
import { redisServerPath, startRedisServer } from "../support/redis-server.ts";

export interface LocalRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** The Redis at `url`, which has to answer; else one of our own; `undefined` where there is no redis-server. */
export async function openRedis(url: string | undefined): Promise<LocalRedis | undefined> {
  if (url === undefined) return redisServerPath() ? startRedisServer() : undefined;
  await pingRedis(url).catch((error: Error) => {
    throw new Error(`REDIS_URL is set, but no Redis answers there: ${error.message}`);
  });
  return { url, async stop() {} };
}
