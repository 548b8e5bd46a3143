import type { Finding } from "../finding.ts";
import type { ReplicaFacts } from "../gather/replica.ts";

/** A write that takes longer than any way around the earth waits somewhere else. */
const MAX_LAG_MS = 1_000;

/** The replica that the limiter asks before Redis. */
export function checkReplica({ address, reason, refusal, lag }: ReplicaFacts): Finding[] {
  if (reason !== undefined) {
    return warn({
      id: "replica-unreachable",
      title: "The replica nearby does not answer",
      evidence: `${address.protocol}//${address.host}: ${reason}`,
      remedy:
        "Check REPLICA_URL and REPLICA_TOKEN, and that it runs. Until then, Redis decides without it.",
    });
  }
  if (refusal !== undefined) {
    return warn({
      id: "replica-refuses",
      title: "The replica nearby does not run a script that reads",
      evidence: `it answered: ${refusal.slice(0, 160)}`,
      remedy:
        "Give its user the commands of docs/replica.md, and bring the link to its master back. Until then, Redis decides without it.",
    });
  }
  if (lag === undefined) return [];
  if ("beyondMs" in lag) {
    return warn({
      id: "replica-shows-no-writes",
      title: "The replica nearby does not show what was written to Redis",
      evidence: `not after ${seconds(lag.beyondMs)}`,
      remedy:
        "Give REPLICA_URL a replica of the Redis that counts. If it is one, its link to its master is down: set replica-serve-stale-data no.",
    });
  }
  if (lag.ms <= MAX_LAG_MS) return [];
  return warn({
    id: "replica-shows-writes-late",
    title: "The replica nearby is behind Redis",
    evidence: `it showed a write after ${seconds(lag.ms)}`,
    remedy:
      "Look at its network and load. For as long, it denies clients that were reset, and misses new denials.",
  });
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Without it, Redis decides: no fault of it is more than a warning. */
function warn(finding: Omit<Finding, "severity">): Finding[] {
  return [{ ...finding, severity: "warning" }];
}
