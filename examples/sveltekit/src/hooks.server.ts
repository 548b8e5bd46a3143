import { building } from "$app/env";
import type { Handle } from "@sveltejs/kit/hooks";
import { Redis } from "ioredis";
import { createLimiter, tokenBucket } from "tidegate";
import { clientKey, fromIoredis } from "tidegate/node";

const redis = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379", {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  // The build imports this file, too, and needs no Redis.
  lazyConnect: true,
});
redis.on("error", (error) => console.error(`redis: ${error.message}`));

const limiter = createLimiter({
  redis: fromIoredis(redis),
  policies: [tokenBucket({ name: "sveltekit", limit: 20, refill: 1, per: "1m" })],
});

export const handle: Handle = async ({ event, resolve }) => {
  // A page that is made during the build has no client.
  if (building) return resolve(event);
  const decision = await limiter.limit(clientKey(event.getClientAddress()));
  if (!decision.allowed) return decision.response();
  const response = await resolve(event);
  for (const [name, value] of decision.headers()) response.headers.append(name, value);
  return response;
};
