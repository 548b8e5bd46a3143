import { isLoopback } from "../../connection.ts";
import type { Finding } from "../finding.ts";
import type { UnreachableGateway } from "../gather/gateway-facts.ts";
import type { UnreachableRedis } from "../gather/redis-facts.ts";

export function checkGatewayTransport({
  url,
}: Pick<UnreachableGateway, "url">): Finding | undefined {
  if (url.protocol !== "http:" || isLoopback(url)) return undefined;
  return {
    id: "gateway-without-tls",
    severity: "warning",
    title: "The gateway answers over plain HTTP",
    evidence: `its address is ${url.origin}`,
    remedy:
      "Give it a certificate and redirect http to https: on the way, anybody can read API keys and change the fields.",
  };
}

export function checkRedisTransport({
  through,
  address,
}: Pick<UnreachableRedis, "through" | "address">): Finding | undefined {
  const isPlain = address.protocol === "http:" || address.protocol === "redis:";
  if (!isPlain || isLoopback(address)) return undefined;
  return {
    id: "redis-without-tls",
    // Inside one network that may be a choice; the doctor cannot see where the limiter runs.
    severity: through === "rest" ? "warning" : "note",
    title: "The way to Redis is not encrypted",
    evidence: `its address is ${address.protocol}//${address.host}`,
    remedy:
      "Use https:// or rediss:// unless limiter and Redis share a private network: the token goes with every command.",
  };
}
