import type { Finding } from "../finding.ts";
import type { GatewayFacts } from "../gather/gateway-facts.ts";
import type { ClockSample, RedisFacts } from "../gather/redis-facts.ts";

/** More than any network adds, and more than a disciplined clock is ever off. */
const MOST_MS = 2_000;

/** By how much the other clock is ahead of ours at least; negative if it is behind, 0 if they may agree. */
export function aheadMs({ sentAtMs, receivedAtMs, earliestMs, latestMs }: ClockSample): number {
  if (earliestMs > receivedAtMs) return earliestMs - receivedAtMs;
  return Math.min(0, latestMs - sentAtMs);
}

export function checkRedisClock({ clock }: RedisFacts): Finding | undefined {
  if (clock === undefined || Math.abs(aheadMs(clock)) <= MOST_MS) return undefined;
  return {
    id: "redis-clock",
    severity: "warning",
    title: "Redis's clock and the clock of this machine disagree",
    evidence: `TIME is ${differenceOf(clock)}`,
    remedy:
      "Run NTP on the machine that is wrong. X-RateLimit-Reset and the edges of windows follow Redis's clock.",
  };
}

export function checkGatewayClock({ live }: GatewayFacts): Finding | undefined {
  const dateMs = Date.parse(live.fields.get("date") ?? "");
  // The field has no parts of seconds.
  const sample = { ...live, earliestMs: dateMs, latestMs: dateMs + 999 };
  if (Number.isNaN(dateMs) || Math.abs(aheadMs(sample)) <= MOST_MS) return undefined;
  return {
    id: "gateway-clock",
    severity: "warning",
    title: "The gateway's clock and the clock of this machine disagree",
    evidence: `the field Date is ${differenceOf(sample)}`,
    remedy:
      "Run NTP on the machine that is wrong. Clients that compare X-RateLimit-Reset with Date wait too long or too short.",
  };
}

function differenceOf(sample: ClockSample): string {
  const ahead = aheadMs(sample);
  return `${(Math.abs(ahead) / 1000).toFixed(1)} s ${ahead > 0 ? "ahead of" : "behind"} this machine`;
}
