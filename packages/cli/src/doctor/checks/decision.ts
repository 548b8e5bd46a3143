import type { Finding } from "../finding.ts";
import type { RedisFacts } from "../gather/redis-facts.ts";
import { checkCluster } from "./cluster.ts";
import { checkVersion } from "./redis-reach.ts";

interface Cause extends Pick<Finding, "id" | "title" | "remedy"> {
  readonly pattern: RegExp;
}

/** By the words of Redis, the first that match. */
const CAUSES: readonly Cause[] = [
  {
    pattern: /^READONLY|read only replica/,
    id: "redis-is-replica",
    title: "This Redis is a replica, and takes no writes",
    remedy: "Give the limiter the address of the master.",
  },
  {
    pattern: /OOM command not allowed/,
    id: "redis-out-of-memory",
    title: "Redis has reached maxmemory, and takes no new keys",
    remedy:
      "Raise maxmemory to what docs/redis.md computes, or remove what is not the limiter's. Until then, ON_FAILURE decides.",
  },
  {
    pattern: /^LOADING/,
    id: "redis-loading",
    title: "Redis is loading its data, and decides nothing meanwhile",
    remedy: "Wait. A dedicated Redis without persistence starts at once.",
  },
  {
    pattern: /MISCONF/,
    id: "redis-cannot-save",
    title: "Redis refuses writes, because it could not save",
    remedy: 'Turn persistence off with save "", as in deploy/redis.conf, or give the disk room.',
  },
  {
    pattern: /NOREPLICAS/,
    id: "too-few-replicas",
    title: "Redis refuses writes, because too few replicas follow it",
    remedy: "Bring the replicas back, or lower min-replicas-to-write.",
  },
  {
    pattern: /^BUSY/,
    id: "redis-busy",
    title: "A script that does not end blocks Redis",
    remedy:
      "SCRIPT KILL ends it, unless it has written. Find out who sent it: none of Tidegate's loops.",
  },
  {
    pattern: /CLUSTERDOWN/,
    id: "cluster-down",
    title: "The cluster serves no keys",
    remedy: "Bring the missing masters back, or set cluster-require-full-coverage no.",
  },
  {
    pattern:
      /NOPERM|no permissions|can't run this command|can't access|unknown command|Unknown Redis command/i,
    id: "command-refused",
    title: "Redis forbids a command that decisions need",
    remedy:
      "Allow the user EVAL, EVALSHA and the commands of docs/redis.md on the limiter's keys, and rename none of them.",
  },
];

const UNKNOWN = {
  id: "decision-fails",
  title: "Redis does not run the limiter's scripts",
  remedy: "Use one of the servers that docs/redis.md names.",
};

/** The answers of a cluster node that does not hold the key of the probe: they are no finding. */
const ELSEWHERE = /^(?:MOVED|ASK)\b/;

export function checkDecision(facts: RedisFacts): Finding | undefined {
  const { decision } = facts;
  if (decision === undefined || decision.ok || ELSEWHERE.test(decision.error)) return undefined;
  // Another check has found it already, with its cause.
  if (checkVersion(facts)) return undefined;
  if (/CLUSTERDOWN/.test(decision.error) && checkCluster(facts)) return undefined;
  const evidence = `a decision was answered: ${decision.error.slice(0, 160)}`;
  const cause = CAUSES.find(({ pattern }) => pattern.test(decision.error));
  const { id, title, remedy } = cause ?? UNKNOWN;
  return { id, severity: "error", title, evidence, remedy };
}
