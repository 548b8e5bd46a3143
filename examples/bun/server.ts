import { Redis } from "ioredis";
import { createLimiter, tokenBucket } from "tidegate";
import { clientKey, fromIoredis } from "tidegate/node";

const redis = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379", {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
});
redis.on("error", (error) => console.error(`redis: ${error.message}`));

const limiter = createLimiter({
  redis: fromIoredis(redis),
  policies: [tokenBucket({ name: "bun", limit: 20, refill: 1, per: "1m" })],
});

/** The part of Bun's server that knows the address of a client. */
interface Server {
  requestIP(request: Request): { readonly address: string } | null;
}

export default {
  port: Number(process.env["PORT"] ?? 3000),
  hostname: "127.0.0.1",
  async fetch(request: Request, server: Server): Promise<Response> {
    const decision = await limiter.limit(clientKey(server.requestIP(request)?.address));
    if (!decision.allowed) return decision.response();
    return new Response("hello", { headers: decision.headers() });
  },
};
