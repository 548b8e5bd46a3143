import express from "express";
import { Redis } from "ioredis";
import { tokenBucket } from "tidegate";
import { rateLimit } from "tidegate/express";
import { fromIoredis } from "tidegate/node";

const redis = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379", {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
});
redis.on("error", (error) => console.error(`redis: ${error.message}`));

const app = express();
app.use(
  rateLimit({
    redis: fromIoredis(redis),
    policies: [tokenBucket({ name: "express", limit: 20, refill: 1, per: "1m" })],
    clientIp: "socket",
  }),
);
app.get("/", (_request, response) => void response.send("hello"));

app.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
