import type { Finding } from "../finding.ts";
import type { RedisFacts } from "../gather/redis-facts.ts";

const MOST_FOREIGN = 0.2;

/** Fewer keys do not show how a Redis is used. */
const FEWEST_KEYS = 10;

/** Seconds. A gateway at night may ask less often. */
const SHORTEST_IDLE = 60;

export function checkKeyspace({ keys }: RedisFacts): Finding | undefined {
  if (keys === undefined || keys.sampled < FEWEST_KEYS) return undefined;
  const share = keys.foreign / keys.sampled;
  if (share <= MOST_FOREIGN) return undefined;
  return {
    id: "redis-shared",
    severity: "warning",
    title: "The limiter shares its Redis with other data",
    evidence: `${keys.foreign} of ${keys.sampled} keys looked at are not the limiter's`,
    remedy:
      "Give the limiter a Redis of its own (or name its PREFIX with --prefix): the others' slow commands delay decisions, and their keys fill its memory.",
  };
}

/** Two deployments of different versions below one prefix: they count apart where a layout differs, and share the rest. */
export function checkLayouts({ keys }: RedisFacts): Finding | undefined {
  if (keys === undefined || keys.inTwoLayouts.length === 0) return undefined;
  return {
    id: "two-versions",
    severity: "note",
    title: "Two versions of Tidegate count with this prefix",
    evidence: `among ${keys.sampled} keys looked at are two layouts of ${keys.inTwoLayouts.join(", ")}`,
    remedy:
      "While both serve clients, each counts alone: at most twice the limit is admitted. Finish the deployment; if the other one is a preview, give it a PREFIX of its own.",
  };
}

export function checkIdleTimeout({ config }: RedisFacts): Finding | undefined {
  const seconds = Number(config.get("timeout") ?? 0);
  if (seconds === 0 || seconds >= SHORTEST_IDLE) return undefined;
  return {
    id: "idle-timeout",
    severity: "warning",
    title: "Redis closes connections that are idle for a moment",
    evidence: `timeout is ${seconds} s`,
    remedy: "Set timeout 0: a request that comes after a pause would wait for a new connection.",
  };
}
