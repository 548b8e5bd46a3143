import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Redis } from "ioredis";
import { tokenBucket } from "tidegate";
import { rateLimit } from "tidegate/hono";
import { fromIoredis } from "tidegate/node";

const redis = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379", {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
});
redis.on("error", (error) => console.error(`redis: ${error.message}`));

const app = new Hono();
app.use(
  rateLimit({
    redis: fromIoredis(redis),
    policies: [tokenBucket({ name: "hono", limit: 20, refill: 1, per: "1m" })],
    clientIp: "socket",
  }),
);
app.get("/", (c) => c.text(`hello, ${c.var.rateLimit.policies[0]?.remaining} left`));

serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 3000), hostname: "127.0.0.1" });
