import type { Stats } from "../../../../../src/admin/metrics-answers.ts";
import type { Finding } from "../finding.ts";
import type { GatewayFacts } from "../gather/gateway-facts.ts";

/** Policies with a lease or optimism for which every request of the last hour has waited for the store. */
export function checkAhead({ stats: answer }: GatewayFacts): Finding | undefined {
  const stats = statsIn(answer);
  if (!stats) return undefined;
  const idle = stats.ahead
    .filter(({ counts }) => sum(counts) === 0)
    .map(({ policy }) => evaluationsOf(stats, policy))
    .filter(({ allowed, denied }) => allowed + denied > 0);
  if (idle.length === 0) return undefined;
  return {
    id: "ahead-saved-nothing",
    severity: "note",
    title: "A lease or optimism saved nothing in the last hour",
    evidence: idle.map((counted) => `${counted.policy}: ${reasonOf(counted)}`).join("; "),
    remedy:
      "Leave it out, or see docs/hot-keys.md: a lease needs clients that ask more than once within its length, room for 32 units, and a Redis that answers within a quarter of it; optimism needs room.",
  };
}

interface Counted {
  readonly policy: string;
  readonly allowed: number;
  readonly denied: number;
  /** How many of them left less than a quarter of the limit. */
  readonly nearLimit: number;
}

/** Near a limit the store decides each request, so that none is admitted beyond it. */
function reasonOf({ allowed, denied, nearLimit }: Counted): string {
  const all = allowed + denied;
  const counted = `${all} decisions, no unit ahead of the store`;
  if (denied > all / 2) return `${counted}: most were denials`;
  if (nearLimit > all / 2) return `${counted}: most were near the limit`;
  return `${counted}: its clients ask too seldom, or the store answers too late`;
}

function evaluationsOf({ evaluations, utilization }: Stats, policy: string): Counted {
  const of = (result: string) =>
    sum(
      evaluations
        .filter((each) => each.policy === policy && each.result === result)
        .map(({ counts }) => sum(counts)),
    );
  const near = utilization.filter((each) => each.policy === policy && each.le === 1);
  return {
    policy,
    allowed: of("allowed"),
    denied: of("denied"),
    nearLimit: sum(near.map(({ counts }) => sum(counts))),
  };
}

/** `undefined` where metrics are off, the token is not accepted, or the answer is too long to be read. */
function statsIn(answer: GatewayFacts["stats"]): Stats | undefined {
  if (answer?.status !== 200) return undefined;
  try {
    const stats = JSON.parse(answer.body) as Partial<Stats>;
    // A gateway of before counts no units ahead.
    return Array.isArray(stats.ahead) ? (stats as Stats) : undefined;
  } catch {
    return undefined;
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, each) => total + each, 0);
}
