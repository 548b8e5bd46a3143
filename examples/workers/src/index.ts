import { clientKey, limit, tokenBucket } from "tidegate";

const policy = tokenBucket({ name: "workers", limit: 20, refill: 1, per: "1m" });

export default {
  async fetch(request: Request): Promise<Response> {
    const client = clientKey(request.headers.get("cf-connecting-ip"));
    const decision = await limit(client, policy);
    if (!decision.allowed) return decision.response();
    return new Response("hello", { headers: decision.headers() });
  },
};
