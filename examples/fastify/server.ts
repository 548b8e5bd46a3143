import Fastify from "fastify";
import { createClient } from "redis";
import { tokenBucket } from "tidegate";
import { rateLimit } from "tidegate/fastify";
import { fromNodeRedis } from "tidegate/node";

const redis = createClient({
  url: process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379",
  disableOfflineQueue: true,
});
redis.on("error", (error) => console.error(`redis: ${error.message}`));
await redis.connect();

const app = Fastify();
await app.register(rateLimit, {
  redis: fromNodeRedis(redis),
  policies: [tokenBucket({ name: "fastify", limit: 20, refill: 1, per: "1m" })],
  clientIp: "socket",
});
app.get("/", async () => "hello");

await app.listen({ port: Number(process.env["PORT"] ?? 3000), host: "127.0.0.1" });
