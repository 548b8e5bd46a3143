import { clientKey, limit, tokenBucket } from "tidegate";

const policy = tokenBucket({ name: "deno", limit: 20, refill: 1, per: "1m" });
const port = Number(Deno.env.get("PORT") ?? 3000);

Deno.serve({ port, hostname: "127.0.0.1" }, async (_request, { remoteAddr }) => {
  const decision = await limit(clientKey(remoteAddr.hostname), policy);
  if (!decision.allowed) return decision.response();
  return new Response("hello", { headers: decision.headers() });
});
