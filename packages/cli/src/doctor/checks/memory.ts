import type { Finding } from "../finding.ts";
import type { RedisFacts } from "../gather/redis-facts.ts";

/** The share of maxmemory above which the next wave of new clients may fill it. */
const NEARLY_FULL = 0.8;

/** The memory of an empty Redis, its connections included. */
const EMPTY = 2 * 2 ** 20;

interface Memory {
  readonly used: number;
  readonly most: number;
  readonly policy: string;
}

/** `undefined` where INFO does not say it. */
function memoryOf({ info }: RedisFacts): Memory | undefined {
  const [used, most] = ["used_memory", "maxmemory"].map((name) => Number(info?.get(name) ?? NaN));
  const policy = info?.get("maxmemory_policy");
  return Number.isNaN(used! + most!) || policy === undefined
    ? undefined
    : { used: used!, most: most!, policy };
}

export function checkEviction(facts: RedisFacts): Finding | undefined {
  const memory = memoryOf(facts);
  const evicted = Number(facts.info?.get("evicted_keys") ?? 0);
  if (memory === undefined || memory.policy === "noeviction") return undefined;
  const lost = evicted > 0 ? `, and it has evicted ${evicted} keys` : "";
  return {
    id: "evicts",
    severity: evicted > 0 ? "error" : "warning",
    title: "Redis evicts keys when memory is short",
    evidence: `maxmemory-policy is ${memory.policy}${lost}`,
    remedy:
      "Set maxmemory-policy noeviction (on Upstash, turn eviction off): an evicted count starts anew, so that limits let more through.",
  };
}

/** @param expected bytes that the limiter's keys take; `undefined` if their number was not given */
export function checkMaxmemory(
  facts: RedisFacts,
  expected: number | undefined,
): Finding | undefined {
  const memory = memoryOf(facts);
  if (memory === undefined || isFull(facts)) return undefined;
  const { used, most } = memory;
  if (most === 0) {
    return {
      id: "maxmemory-unset",
      severity: "warning",
      title: "Redis may take all memory of its machine",
      evidence: "maxmemory is 0",
      remedy: `Set maxmemory${expected === undefined ? "" : ` to at least ${mib(needed(expected))}`}: without it the system kills Redis, and all counts with it.`,
    };
  }
  if (expected !== undefined && needed(expected) > most) {
    return {
      id: "maxmemory-small",
      severity: "warning",
      title: "maxmemory is too small for the clients expected",
      evidence: `they take ${mib(expected)}, and maxmemory is ${mib(most)}`,
      remedy: `Set maxmemory to ${mib(needed(expected))}: the keys, a quarter for growing tables, and ${mib(EMPTY)} for Redis itself.`,
    };
  }
  if (used <= NEARLY_FULL * most) return undefined;
  return {
    id: "memory-nearly-full",
    severity: "warning",
    title: "Redis is nearly full",
    evidence: `${mib(used)} of ${mib(most)} are used`,
    remedy:
      "Raise maxmemory: when it is reached, Redis takes no new clients, and ON_FAILURE decides.",
  };
}

/** A quarter for tables that are doubled while they are in use. */
function needed(expected: number): number {
  return 1.25 * expected + EMPTY;
}

export function checkUsedMemory(
  facts: RedisFacts,
  expected: number | undefined,
): Finding | undefined {
  const memory = memoryOf(facts);
  if (memory === undefined || expected === undefined || memory.used <= 2 * needed(expected)) {
    return undefined;
  }
  return {
    id: "memory-above-formula",
    severity: "warning",
    title: "Redis holds more than the clients expected",
    evidence: `${mib(memory.used)} are used, and ${mib(needed(expected))} would do`,
    remedy:
      "There are more partitions than you think, or other data. Clients may be inventing identities: look at the keys with SCAN.",
  };
}

/** The probe of the decision reports that. */
function isFull({ decision }: RedisFacts): boolean {
  return decision?.ok === false && decision.error.includes("OOM");
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
