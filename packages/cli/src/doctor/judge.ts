import type { PlacedFault } from "../check/check-text.ts";
import { checkAhead } from "./checks/ahead.ts";
import { checkGatewayClock, checkRedisClock } from "./checks/clock.ts";
import { checkCluster } from "./checks/cluster.ts";
import { checkConfig } from "./checks/config.ts";
import { checkDecision } from "./checks/decision.ts";
import { checkDialect } from "./checks/dialect.ts";
import { checkEnvironments, type Environment } from "./checks/environments.ts";
import {
  checkAdmin,
  checkAdminHost,
  checkDisclosure,
  checkGatewayReachable,
  checkHealth,
  checkLive,
} from "./checks/gateway-health.ts";
import { checkIdentities } from "./checks/identities.ts";
import { checkLeases, type WantedLease } from "./checks/leases.ts";
import { checkCache, checkFields, checkRetryAfter } from "./checks/limited-path.ts";
import { checkEviction, checkMaxmemory, checkUsedMemory } from "./checks/memory.ts";
import { checkPaths } from "./checks/paths.ts";
import { checkPersistence } from "./checks/persistence.ts";
import { checkPreview } from "./checks/preview.ts";
import { checkLatency, checkRedisReachable, checkVersion } from "./checks/redis-reach.ts";
import { checkRegion } from "./checks/region.ts";
import { checkReplication } from "./checks/replication.ts";
import { checkSameRedis } from "./checks/same-redis.ts";
import { checkBusyThreshold, checkScriptCache, checkSlowLog } from "./checks/scripts.ts";
import { checkSecurityFixes } from "./checks/security-fixes.ts";
import { checkIdleTimeout, checkKeyspace, checkLayouts } from "./checks/sharing.ts";
import { checkGatewayTransport, checkRedisTransport } from "./checks/transport.ts";
import { checkVariables, type Variable } from "./checks/variables.ts";
import { type Finding, sortFindings } from "./finding.ts";
import type { GatewayFacts, UnreachableGateway } from "./gather/gateway-facts.ts";
import type { PreviewFacts, UnreachablePreview } from "./gather/preview.ts";
import type { RedisFacts, UnreachableRedis } from "./gather/redis-facts.ts";

/** The gathered facts; a part that was not asked for is missing. */
export interface Facts {
  readonly gateway?: GatewayFacts | UnreachableGateway | undefined;
  readonly preview?: PreviewFacts | UnreachablePreview | undefined;
  readonly redis?: RedisFacts | UnreachableRedis | undefined;
  readonly region?: RedisFacts | UnreachableRedis | undefined;
  readonly faults?: readonly PlacedFault[] | undefined;
  readonly variables?: readonly Variable[] | undefined;
  readonly environments?: readonly Environment[] | undefined;
  readonly leases?: readonly WantedLease[] | undefined;
}

export interface Expectations {
  readonly timeoutMs: number;
  /** Bytes that the limiter's keys take; `undefined` if their number was not given. */
  readonly keyspaceBytes: number | undefined;
}

/** Judges the gathered facts, without a call to any server. */
export function judge(
  {
    gateway,
    preview,
    redis,
    region,
    faults = [],
    variables = [],
    environments = [],
    leases = [],
  }: Facts,
  expected: Expectations,
): readonly Finding[] {
  const found: Found[] = [
    checkConfig(faults),
    checkVariables(variables),
    checkEnvironments(environments),
    checkLeases(leases, redis),
  ];
  if (gateway) found.push(...judgeGateway(gateway));
  if (preview) found.push(checkPreview(preview));
  if (redis) found.push(...judgeRedis(redis, expected));
  if (region) found.push(checkRegion(region, redis));
  if (gateway && redis && !("reason" in gateway) && !("reason" in redis)) {
    found.push(checkSameRedis(gateway, redis), checkDialect(gateway, redis));
  }
  return sortFindings(found.flat().filter((finding) => finding !== undefined));
}

/** A check finds one fault, or several, or none. */
type Found = Finding | undefined | readonly (Finding | undefined)[];

function judgeGateway(facts: GatewayFacts | UnreachableGateway): Found[] {
  const transport = checkGatewayTransport(facts);
  if ("reason" in facts) return [transport, checkGatewayReachable(facts)];
  const another = checkLive(facts);
  // The other answers of that server are not about the gateway.
  if (another) return [transport, another, checkGatewayClock(facts)];
  return [
    transport,
    checkGatewayClock(facts),
    checkHealth(facts),
    checkDisclosure(facts),
    checkAdmin(facts),
    checkAdminHost(facts),
    checkAhead(facts),
    checkFields(facts),
    checkCache(facts),
    checkRetryAfter(facts),
    checkIdentities(facts),
    checkPaths(facts),
  ];
}

function judgeRedis(
  facts: RedisFacts | UnreachableRedis,
  { timeoutMs, keyspaceBytes }: Expectations,
): Found[] {
  const transport = checkRedisTransport(facts);
  if ("reason" in facts) return [transport, checkRedisReachable(facts)];
  return [
    transport,
    checkLatency(facts, timeoutMs),
    checkVersion(facts),
    checkSecurityFixes(facts),
    checkDecision(facts),
    checkRedisClock(facts),
    checkEviction(facts),
    checkMaxmemory(facts, keyspaceBytes),
    checkUsedMemory(facts, keyspaceBytes),
    checkPersistence(facts),
    checkReplication(facts),
    checkCluster(facts),
    checkScriptCache(facts),
    checkSlowLog(facts),
    checkBusyThreshold(facts),
    checkKeyspace(facts),
    checkLayouts(facts),
    checkIdleTimeout(facts),
  ];
}
