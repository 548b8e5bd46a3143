import type { LocalStack } from "../../scripts/local-stack/local-stack.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { metrics } from "../../src/metrics/metrics.ts";
import { createMemory } from "../../src/store/memory.ts";
import { MINUTE_MS } from "../../src/store/metrics-store.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { decisionOf } from "../support/metrics/decision-of.ts";

/** Rules as the admin API takes them, each with a policy of its own. */
export function manyRules(count: number) {
  return Array.from({ length: count }, (_, i) => ({
    method: "GET",
    path: `/api/resource-${i}/*`,
    partition: ["ip"],
    policies: [
      { algorithm: "token-bucket", name: `p${i}`, limit: 2, refill: 1, per: "1s" as const },
    ],
  }));
}

/** The minutes that the crowd comes in. */
const MINUTES = 60;

/**
 * Counts three requests of each partition in the last hour, under rules as `manyRules` makes them, and writes them as an isolate
 * of the stack does. As many are clients of the first rule as of all the others together.
 */
export async function countCrowd(
  { bridge, token }: LocalStack,
  { rules: ruleCount, partitions }: { readonly rules: number; readonly partitions: number },
): Promise<void> {
  const clock = { ms: Date.now() - MINUTES * MINUTE_MS };
  const redis = { url: bridge!, token };
  const recorder = metrics({
    place: { kind: "redis", redis },
    prefix: "tg",
    timeoutMs: 30_000,
    flushMs: MINUTE_MS,
    identities: "hashed",
    now: () => clock.ms,
    wallNow: () => clock.ms,
    random: () => 0,
    onError(error) {
      throw error;
    },
  });
  const rules = manyRules(ruleCount).map(({ method, path, policies }) => ({
    route: { methods: [method], path },
    settings: { policies: policies.map((policy) => compilePolicy(tokenBucket(policy))) },
  }));
  const memory = createMemory({ maxEntries: 10_000, maxBytes: 1e8 });
  const counter = recorder.counterOf(rules as never);
  for (let i = 0; i < partitions; i++) {
    const rule = rules[i % 2 === 0 ? 0 : ((i - 1) / 2) % ruleCount]!;
    const [policy] = rule.settings.policies;
    const identity = `ip:10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;
    for (let sent = 0; sent < 3; sent++) {
      const decided = memory.decide(clock.ms * 1000, "consume", [identity], [1], [policy!]);
      counter.decided([rule] as never, decisionOf([policy!], decided), { "": identity });
    }
    if ((i + 1) % Math.ceil(partitions / MINUTES) === 0) {
      await recorder.flush();
      clock.ms += MINUTE_MS;
    }
  }
  clock.ms = Date.now();
  await recorder.flush();
}
