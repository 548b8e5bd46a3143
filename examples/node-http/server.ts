import { createServer } from "node:http";

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
  policies: [tokenBucket({ name: "http", limit: 20, refill: 1, per: "1m" })],
});

const server = createServer(async (request, response) => {
  const { remoteAddress } = request.socket;
  // A client that has reset its connection has none any more.
  if (remoteAddress === undefined) {
    response.destroy();
    return;
  }
  const decision = await limiter.limit(clientKey(remoteAddress));
  response.setHeaders(decision.headers());
  if (decision.allowed) {
    response.end("hello");
    return;
  }
  const denied = decision.response();
  response.writeHead(denied.status, Object.fromEntries(denied.headers)).end(await denied.text());
});

server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
