import type { Finding } from "../finding.ts";
import type { RedisFacts } from "../gather/redis-facts.ts";

/** Seconds since a replica was last heard of; they report every second. */
const MOST_LAG = 2;

/** Bytes that a replica may be behind: about 5,000 decisions. */
const MOST_BEHIND = 2 ** 20;

interface Replica {
  readonly name: string;
  readonly lag: number;
  readonly behind: number;
}

function replicasOf(info: ReadonlyMap<string, string>): Replica[] {
  const written = Number(info.get("master_repl_offset") ?? 0);
  return [...info].flatMap(([name, value]) => {
    if (!/^slave\d+$/.test(name)) return [];
    const field = (key: string) => new RegExp(`${key}=([^,]*)`).exec(value)?.[1];
    // A replica that is still loading reports neither.
    if (field("state") !== "online") return [];
    const behind = written - Number(field("offset") ?? written);
    return [{ name: `${field("ip")}:${field("port")}`, lag: Number(field("lag") ?? 0), behind }];
  });
}

export function checkReplication({ info, config, decision }: RedisFacts): Finding[] {
  if (info === undefined) return [];
  if (info.get("role") === "slave") {
    // One that takes writes loses them with the next synchronisation, so that it is no better.
    if (decision?.ok === false) return [];
    return [
      {
        id: "redis-is-replica",
        severity: "error",
        title: "This Redis is a replica, and forgets what is written to it",
        evidence: `role is slave, of ${info.get("master_host")}:${info.get("master_port")}`,
        remedy: "Give the limiter the address of the master.",
      },
    ];
  }
  const replicas = replicasOf(info);
  const late = replicas.filter(({ lag, behind }) => lag > MOST_LAG || behind > MOST_BEHIND);
  const findings: Finding[] = late.slice(0, 1).map(({ name, lag, behind }) => ({
    id: "replica-lags",
    severity: "warning",
    title: "A replica is behind its master",
    evidence: `${name}: last heard of ${lag} s ago, ${behind} bytes behind`,
    remedy:
      "Look at its network and load. A failover to it would admit again what it has not seen.",
  }));
  if (replicas.length > 0 && config.get("min-replicas-to-write") === "0") {
    findings.push({
      id: "split-brain-unbounded",
      severity: "warning",
      title: "A master that is cut off from its replicas goes on deciding",
      evidence: `${replicas.length} replicas, and min-replicas-to-write is 0`,
      remedy:
        "Set min-replicas-to-write 1: else a network partition lets both sides admit up to a limit each.",
    });
  }
  return findings;
}
