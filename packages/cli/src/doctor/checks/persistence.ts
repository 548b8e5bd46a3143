import type { Finding } from "../finding.ts";
import type { RedisFacts } from "../gather/redis-facts.ts";

export function checkPersistence({ info, config }: RedisFacts): Finding[] {
  const findings: Finding[] = [];
  const save = config.get("save");
  const fork = Number(info?.get("latest_fork_usec") ?? 0) / 1000;
  const forked = fork > 0 ? `; the last fork took ${fork.toFixed(1)} ms` : "";
  if (save !== undefined && save !== "") {
    findings.push({
      id: "snapshots",
      severity: "warning",
      title: "Redis saves snapshots",
      evidence: `save is "${save}"${forked}`,
      remedy:
        'Set save "": each fork stops all decisions for about 10 ms per GiB, and counts of the last minutes are worth little after a restart. If live rules are in it, give them a Redis of their own first: CONTROL_REDIS_REST_URL.',
    });
  }
  if (info?.get("aof_enabled") !== "1") return findings;
  const fsync = config.get("appendfsync");
  const always = fsync === "always";
  findings.push({
    id: always ? "fsync-always" : "append-only-file",
    severity: always ? "warning" : "note",
    title: always ? "Every decision waits for the disk" : "Redis writes an append-only file",
    evidence: `appendonly is yes, appendfsync ${fsync ?? "is not known"}${forked}`,
    remedy: always
      ? "Set appendfsync everysec, or appendonly no: a decision then takes microseconds again."
      : "Counts survive a restart, at the price of forks and of disk writes for each decision. docs/redis.md weighs the two.",
  });
  return findings;
}
