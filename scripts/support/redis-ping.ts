import { Redis } from "ioredis";

/** Asks the Redis at `url` for its process id, and so whether it is there and lets us in. */
export async function pingRedis(url: string): Promise<{ pid: number }> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 1_000,
    socketTimeout: 1_000,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    disableClientInfo: true,
  });
  let reason: Error | undefined;
  redis.on("error", (error) => (reason = error));
  try {
    await redis.connect();
    await redis.ping();
    const info = await redis.info("server");
    return { pid: Number(/^process_id:(\d+)/m.exec(info)?.[1]) };
  } catch (error) {
    // ioredis rejects with "Connection is closed." and emits why.
    throw reason ?? error;
  } finally {
    redis.disconnect();
  }
}
