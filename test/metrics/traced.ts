import { Redis } from "ioredis";
import { inject, onTestFinished } from "vitest";

import { metricsKeys } from "../../src/metrics/keys.ts";
import { metricsReader } from "../../src/metrics/reader.ts";
import { metrics } from "../../src/metrics/recorder.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { createMemory } from "../../src/store/memory.ts";
import { restSender } from "../../src/store/redis/rest.ts";
import { decisionOf } from "../support/metrics/decision-of.ts";
import { samplesWith } from "../support/metrics/samples-with.ts";

/** A moment at which a minute, an hour and ten minutes begin. */
export const MORNING = Date.UTC(2031, 0, 1, 9);

/** Isolates with a clock of their own that record over the Redis of this run the decisions of one policy. */
export function traced(policy: CompiledPolicy) {
  const endpoint = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
  const prefix = crypto.randomUUID();
  const clock = { ms: MORNING };
  const memory = createMemory({ maxEntries: 1e6, maxBytes: 1e9 });
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const rules = [
    { route: { methods: ["GET"], path: "/" }, settings: { policies: [policy] } },
  ] as const;

  function open(secret: string = prefix) {
    const recorder = metrics({
      send: restSender(endpoint, 10_000),
      redis: endpoint,
      prefix,
      secret,
      flushMs: 60_000,
      identities: "hashed",
      now: () => clock.ms,
      wallNow: () => clock.ms,
      random: () => 0,
      onError(error) {
        throw error;
      },
    });
    return {
      flush: recorder.flush,
      /** Decides a request of this client now, and says whether it passes. */
      decide(identity: string, cost = 1): boolean {
        const decided = memory.decide(clock.ms * 1000, "consume", [identity], [cost], [policy]);
        const decision = decisionOf([policy], decided);
        const costs = { [policy.name]: cost };
        recorder.counterOf(rules).decided(rules as never, decision, { "": identity }, costs);
        return decision.allowed;
      },
    };
  }

  return {
    clock,
    redis,
    open,
    keys: metricsKeys(prefix),
    secret: prefix,
    reader: metricsReader(endpoint, prefix),
  };
}

/** This many clients that are in the sample. */
export function sampledClients(
  secret: string,
  count: number,
  identityOf = (i: number) => `x-user-id:${i}`,
): string[] {
  const isSampled = samplesWith(secret);
  const found: string[] = [];
  for (let i = 0; found.length < count; i++) {
    const identity = identityOf(i);
    if (isSampled(identity)) found.push(identity);
  }
  return found;
}
