import type { Finding } from "../finding.ts";
import type { ReplicaFacts } from "../gather/replica.ts";

/** A write that takes longer than any way around the earth waits somewhere else. */
const MAX_LAG_MS = 1_000;

/** The replica that the limiter asks before Redis. */
export function checkReplica({ address, reason, refusal, lag }: ReplicaFacts): Finding[] {
  if (reason !== undefined) {
    return warn(
      "replica-unreachable",
      "The replica nearby does not answer",
      `${address.protocol}//${address.host}: ${reason}`,
      "Check REPLICA_URL and REPLICA_TOKEN, and that it runs. Until then, Redis decides without it.",
    );
  }
  if (refusal !== undefined) {
    return warn(
      "replica-refuses",
      "The replica nearby does not run a script that reads",
      `it answered: ${refusal.slice(0, 160)}`,
      "Give its user the commands of docs/replica.md, and bring the link to its master back. Until then, Redis decides without it.",
    );
  }
  if (lag === undefined) return [];
  if ("beyondMs" in lag) {
    return warn(
      "replica-shows-no-writes",
      "The replica nearby does not show what was written to Redis",
      `not after ${seconds(lag.beyondMs)}`,
      "Give REPLICA_URL a replica of the Redis that counts. If it is one, its link to its master is down: set replica-serve-stale-data no.",
    );
  }
  if (lag.ms <= MAX_LAG_MS) return [];
  return warn(
    "replica-shows-writes-late",
    "The replica nearby is behind Redis",
    `it showed a write after ${seconds(lag.ms)}`,
    "Look at its network and load. For as long, it denies clients that were reset, and misses new denials.",
  );
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Without it, Redis decides: no fault of it is more than a warning. */
function warn(id: string, title: string, evidence: string, remedy: string): Finding[] {
  return [{ id, severity: "warning", title, evidence, remedy }];
}
