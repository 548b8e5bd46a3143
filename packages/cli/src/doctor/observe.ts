import { aheadMs } from "./checks/clock.ts";
import { healthOf } from "./checks/gateway-health.ts";
import { percentile } from "./checks/redis-reach.ts";
import { securityState } from "./checks/security-fixes.ts";
import type { Observation } from "./finding.ts";
import type { RuleCommands } from "./gather/commands.ts";
import type { GatewayFacts } from "./gather/gateway-facts.ts";
import type { RedisFacts } from "./gather/redis-facts.ts";
import type { Expectations, Facts } from "./judge.ts";
import { LAST_COMPARED } from "./security-fixes.ts";

const UNKNOWN = "not known";

/** The observations, whether or not they are findings, and the facts that could not be observed. */
export function observe({ gateway, redis }: Facts, expected: Expectations): Observation[] {
  return [
    ...(gateway && !("reason" in gateway) ? ofGateway(gateway) : []),
    ...(redis && !("reason" in redis) ? ofRedis(redis, expected) : []),
  ];
}

function ofGateway({ health, admin }: GatewayFacts): Observation[] {
  const { status, store, dialect, version } = healthOf(health) ?? {};
  return [
    {
      name: "gateway health",
      value: [
        String(status ?? UNKNOWN),
        ...Object.entries({ store, dialect, version }).flatMap(([name, value]) =>
          value === undefined ? [] : [`${name} ${String(value)}`],
        ),
      ].join(", "),
    },
    { name: "admin API", value: ADMIN[admin.status] ?? `answers ${admin.status}` },
    ...(store === "durable-object" ? [{ name: "cost of a decision", value: OF_OBJECTS }] : []),
  ];
}

const ADMIN: Readonly<Record<number, string>> = {
  401: "on: it asks for a token",
  404: "off: neither ADMIN_TOKEN nor READ_TOKEN is set",
};

/** Cloudflare, beyond what its paid plan includes, in November 2026: docs/durable-objects.md has the prices. */
const OF_OBJECTS =
  "one policy in a Durable Object; a million: $1.15 to allow, $0.15 to deny, and $1 to allow for each further policy";

/** Upstash, pay as you go, in November 2026: $0.20 for 100,000 commands. */
const DOLLARS_PER_MILLION_COMMANDS = 2;

/** The price of a million decisions on Upstash, in dollars, by the commands of one. */
export function dollarsPerMillion(commands: number): number {
  return commands * DOLLARS_PER_MILLION_COMMANDS;
}

/** Commands are billed by Upstash, also those inside a script. A Redis of one's own costs its machine. */
function costOf({ allowed, denied }: RuleCommands, dialect: RedisFacts["dialect"]): string {
  const commands = `${allowed} commands to allow, ${denied} to deny`;
  if (dialect === "redis") return `${commands}; a Redis of your own bills none`;
  const [allows, denials] = [allowed, denied].map((each) => `$${dollarsPerMillion(each)}`);
  return `${commands}; a million: ${allows} and ${denials} on Upstash, pay as you go`;
}

function ofRedis(facts: RedisFacts, { keyspaceBytes }: Expectations): Observation[] {
  const { through, roundTripsMs, dialect, version, clock, info, config, keys, slow, commands } =
    facts;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(roundTripsMs, share));
  const field = (name: string) => info?.get(name) ?? UNKNOWN;
  const parameter = (name: string) => config.get(name) ?? UNKNOWN;
  return [
    { name: "asked over", value: through === "rest" ? "the REST API" : "Redis's own protocol" },
    {
      name: "round trip",
      value: [p50, p95, p99].map((ms) => `${ms!.toFixed(1)} ms`).join(" / ") + " (p50/p95/p99)",
    },
    { name: "dialect", value: dialect ?? UNKNOWN },
    { name: "version", value: version ?? UNKNOWN },
    { name: "security fixes", value: fixesOf(facts) },
    { name: "clock", value: clock ? `${(aheadMs(clock) / 1000).toFixed(1)} s ahead` : UNKNOWN },
    ...(commands ?? []).map((rule) => ({
      name: `cost of ${rule.name}`,
      value: costOf(rule, dialect),
    })),
    { name: "used_memory", value: field("used_memory") },
    { name: "maxmemory", value: field("maxmemory") },
    { name: "maxmemory-policy", value: field("maxmemory_policy") },
    {
      name: "keys by the formula",
      value:
        keyspaceBytes === undefined ? "give --partitions" : `${Math.ceil(keyspaceBytes)} bytes`,
    },
    { name: "role", value: field("role") },
    { name: "save", value: quoteEmpty(parameter("save")) },
    { name: "aof_enabled", value: field("aof_enabled") },
    { name: "cached scripts", value: field("number_of_cached_scripts") },
    { name: "slow log", value: slow ? `${slow.length} entries` : UNKNOWN },
    { name: "keys looked at", value: keys ? `${keys.sampled}, ${keys.foreign} foreign` : UNKNOWN },
  ];
}

function fixesOf(facts: RedisFacts): string {
  const state = securityState(facts);
  if (state.by === "nothing") return UNKNOWN;
  if (state.by === "distribution") return "by its distribution: keep the package up to date";
  const missing = state.missing.flatMap(({ cves }) => cves);
  return `${missing.length === 0 ? "none" : missing.length} missing, of those until ${LAST_COMPARED}`;
}

function quoteEmpty(value: string): string {
  return value === "" ? '""' : value;
}
