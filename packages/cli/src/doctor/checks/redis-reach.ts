import type { Finding } from "../finding.ts";
import type { RedisFacts, UnreachableRedis } from "../gather/redis-facts.ts";

export function checkRedisReachable({
  through,
  address,
  reason,
}: UnreachableRedis): Finding | undefined {
  return {
    id: "redis-unreachable",
    severity: "error",
    title: "Redis does not answer",
    evidence: `${address.protocol}//${address.host}: ${reason}`,
    remedy:
      through === "rest"
        ? "Check the address and the token of the REST API, and that its Redis runs."
        : "Check the address, user and password, and that the network lets this machine in.",
  };
}

/** The bound under which a share of the round trips stays. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

export function checkLatency({ roundTripsMs }: RedisFacts, timeoutMs: number): Finding | undefined {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(roundTripsMs, share));
  const evidence = `of ${roundTripsMs.length} round trips, half take ${ms(p50)}, 95 % at most ${ms(p95)}, 99 % at most ${ms(p99)}; the timeout is ${timeoutMs} ms`;
  if (p95! >= timeoutMs) {
    return {
      id: "redis-too-slow",
      severity: "error",
      title: "Redis answers later than the limiter waits",
      evidence,
      remedy:
        "Put Redis into the region of the limiter. Until then, ON_FAILURE decides such requests; a larger TIMEOUT makes them wait.",
    };
  }
  if (p99! < timeoutMs / 2) return undefined;
  return {
    id: "redis-slow",
    severity: "warning",
    title: "Redis answers only just within the limiter's timeout",
    evidence,
    remedy:
      "Put Redis nearer to the limiter, or look for what slows it down: SLOWLOG, forks, swapping.",
  };
}

function ms(value = 0): string {
  return `${value.toFixed(1)} ms`;
}

const OLDEST = [6, 2];

export function checkVersion({ version }: RedisFacts): Finding | undefined {
  const parts = /^(\d+)\.(\d+)/
    .exec(version ?? "")
    ?.slice(1)
    .map(Number);
  if (parts === undefined) return undefined;
  const [major, minor] = parts as [number, number];
  if (major > OLDEST[0]! || (major === OLDEST[0] && minor >= OLDEST[1]!)) return undefined;
  return {
    id: "redis-too-old",
    severity: "error",
    title: "Redis is too old",
    evidence: `it is ${version}`,
    remedy: "Use Redis 6.2 or later: the scripts need SET with PXAT.",
  };
}
