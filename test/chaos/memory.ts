import type { Redis } from "ioredis";

/** Fills a Redis up, so that it refuses to write (policy noeviction), and well beyond the edge. */
export async function fillUp(redis: Redis): Promise<void> {
  await redis.config("SET", "maxmemory-policy", "noeviction");
  await redis.config("SET", "maxmemory", (await usedMemory(redis)) + 1_000_000);
  const filler = "x".repeat(50_000);
  for (let key = 0; ; key++) {
    const full = await redis.set(`filler:${key}`, filler).then(
      () => false,
      (error: Error) => error.message.startsWith("OOM"),
    );
    if (full) break;
  }
  // Memory freed by an idle connection must not let a write through.
  await redis.config("SET", "maxmemory", (await usedMemory(redis)) - 500_000);
}

export async function makeRoom(redis: Redis): Promise<void> {
  await redis.config("SET", "maxmemory", 0);
}

async function usedMemory(redis: Redis): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info("memory"))![1]);
}
