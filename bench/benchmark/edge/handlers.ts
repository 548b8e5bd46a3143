/** A handler that limits by the one-call form, as the README shows it. */
export const TIDEGATE = `
  import { limit, tokenBucket } from "./src/index.ts";
  export default {
    async fetch(request) {
      const user = request.headers.get("x-user-id") ?? "anonymous";
      const decision = await limit(user, tokenBucket({ limit: 20, refill: 10, per: "1s" }));
      if (!decision.allowed) return decision.response();
      return new Response("hello", { headers: decision.headers() });
    },
  };`;

/** The same by the peer, as its documentation shows it. */
export const UPSTASH = `
  import { Ratelimit } from "@upstash/ratelimit";
  import { Redis } from "@upstash/redis/cloudflare";
  let ratelimit;
  export default {
    async fetch(request, env) {
      ratelimit ??= new Ratelimit({ redis: Redis.fromEnv(env), limiter: Ratelimit.tokenBucket(10, "1 s", 20) });
      const user = request.headers.get("x-user-id") ?? "anonymous";
      const { success, limit, remaining, reset } = await ratelimit.limit(user);
      const headers = { "X-RateLimit-Limit": limit, "X-RateLimit-Remaining": remaining, "X-RateLimit-Reset": reset };
      return new Response(success ? "hello" : "limited", { status: success ? 200 : 429, headers });
    },
  };`;
