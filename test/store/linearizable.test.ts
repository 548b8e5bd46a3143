import { expect, inject, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Operation } from "../../src/algorithms/model.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { Faults } from "../../src/options/faults.ts";
import { type Policy } from "../../src/policy/policy.ts";
import { memoryStore } from "../../src/store/memory-store.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { createRedisClient } from "../../src/store/redis/endpoint.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import type { Reply } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { random } from "../support/random.ts";

/*
 * Redis runs one script at a time, and each reply carries the moment at which it ran. So there is nothing to search for:
 * in the order of those moments, one by one, the model must say what every concurrent client was told.
 */

interface Call {
  readonly operation: Operation;
  readonly cost: number;
  /** This machine's clock, the one that Redis reads too, in microseconds. */
  readonly sent: number;
  readonly received: number;
  readonly reply: Reply;
}

const clock = () => (performance.timeOrigin + performance.now()) * 1000;

const groups: Policy[][] = [
  ...everyPolicy(10, "30ms").map((policy) => [policy]),
  [
    slidingWindowLog({ name: "burst", limit: 5, window: "20ms" }),
    tokenBucket({ name: "rate", limit: 20, refill: 200, per: "1s" }),
    fixedWindow({ name: "total", limit: 60, window: "200ms" }),
  ],
];

test.for(
  groups.map((group) => ({ group, names: group.map(({ algorithm }) => algorithm).join(" and ") })),
)(
  "the answers to concurrent clients of $names have one order, and the model agrees",
  async ({ group }) => {
    const policies = compile(group);
    const names = { url: "url", token: "token" };
    const redis = createRedisClient(
      inject("redisRestUrl"),
      inject("redisRestToken"),
      names,
      { timeoutMs: 30_000 },
      new Faults(),
    );
    const store = redisStore(redis!.client, ALL_SCRIPTS);
    const id = crypto.randomUUID();
    const keys = policies.map(({ name }) => `tg:{${id}}:${name}`);
    const calls: Call[] = [];

    const clients = Array.from({ length: 12 }, async (_, number) => {
      const next = random(number);
      for (let request = 0; request < 80; request++) {
        const draw = next();
        const operation = draw < 0.75 ? "consume" : draw < 0.98 ? "peek" : "charge";
        const cost = next() < 0.7 ? 1 : 1 + Math.floor(next() * 5);
        const sent = clock();
        const reply = await store.decide(
          operation,
          keys,
          policies.map(() => cost),
          policies,
        );
        calls.push({ operation, cost, sent, received: clock(), reply });
      }
    });
    await Promise.all(clients);

    const ordered = calls.toSorted((a, b) => a.reply.nowUs - b.reply.nowUs);
    expect(new Set(ordered.map(({ reply }) => reply.nowUs)).size).toBe(calls.length);
    let now = 0;
    const model = memoryStore({ now: () => now });
    for (const { operation, cost, sent, received, reply } of ordered) {
      now = reply.nowUs;
      expect(reply).toEqual(
        model.decide(
          operation,
          keys,
          policies.map(() => cost),
          policies,
        ),
      );
      // The two clocks are read differently, and may be a little apart.
      expect(now).toBeGreaterThan(sent - 2_000);
      expect(now).toBeLessThan(received + 2_000);
    }
    const admitted = calls.filter(
      ({ operation, reply }) =>
        operation === "consume" && reply.rows.every(({ allowed }) => allowed),
    );
    expect(admitted.length).toBeGreaterThan(10);
    expect(admitted.length).toBeLessThan(calls.length);
  },
);
