import type { Finding } from "../finding.ts";
import type { GatewayFacts } from "../gather/gateway-facts.ts";
import type { RedisFacts } from "../gather/redis-facts.ts";
import { type Health, healthOf } from "./gateway-health.ts";

/** Whether the gateway counts in the Redis that was looked at. */
export function checkSameRedis(gateway: GatewayFacts, redis: RedisFacts): Finding | undefined {
  const health = healthOf(gateway.health);
  const isUp = health?.status === "ok" || health?.status === "degraded";
  if (!isUp || health.store !== "redis") return undefined;
  const difference = differenceOf(health, redis);
  if (difference === undefined) return undefined;
  return {
    id: "another-redis",
    severity: "warning",
    title: "The gateway counts in another Redis than the one looked at",
    evidence: difference,
    remedy:
      "Give the doctor the address that the gateway has. If the gateway's is wrong, limits are counted where nobody looks.",
  };
}

function differenceOf(
  { version, dialect }: Health,
  { through, ...redis }: RedisFacts,
): string | undefined {
  const isTold = typeof version === "string" && version !== "unknown";
  if (isTold && redis.version !== undefined && version !== redis.version) {
    return `its health says version ${version}, this one is ${redis.version}`;
  }
  // Not the other way round: a server of flagged scripts takes others too. A Redis behind an emulation takes none directly.
  if (through === "rest" && dialect === "upstash" && redis.dialect === "redis") {
    return "its health says dialect upstash, this one refuses flagged scripts";
  }
  return undefined;
}
