import type { Finding } from "../finding.ts";
import type { GatewayFacts } from "../gather/gateway-facts.ts";
import type { RedisFacts } from "../gather/redis-facts.ts";
import { healthOf } from "./gateway-health.ts";

/** Whether Upstash gets scripts that lock all of it. */
export function checkDialect(gateway: GatewayFacts, { dialect }: RedisFacts): Finding | undefined {
  if (dialect !== "upstash" || healthOf(gateway.health)?.dialect !== "redis") return undefined;
  return {
    id: "database-locked",
    severity: "warning",
    title: "Each decision locks the whole database",
    evidence: "the gateway's dialect is redis, and this Redis takes the scripts for Upstash",
    remedy:
      'Set REDIS_DIALECT = "upstash", or the option dialect: decisions about different clients then run side by side.',
  };
}
