import { expect, inject, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { segmentedWindow } from "../../src/algorithms/segmented-window.ts";
import { slidingWindowCounter } from "../../src/algorithms/sliding-window-counter.ts";
import { slidingWindowLog } from "../../src/algorithms/sliding-window-log.ts";
import { tokenBucket } from "../../src/algorithms/token-bucket.ts";
import { concurrency } from "../../src/features/holds/concurrency-option.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { restClient } from "../../src/store/redis/rest.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import type { Slot, Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";

/*
 * Redis runs one script at a time, and each reply carries the moment at which it ran. So there is nothing to search for:
 * in the order of those moments, one by one, the model must decide, give back and extend as every concurrent client was
 * told.
 */

const rest = restClient({ url: inject("redisRestUrl"), token: inject("redisRestToken") }, 30_000);

/** A client's call, on the store or on the model. */
type Ask = (store: Store) => unknown;

interface Call {
  readonly kind: "consume" | "peek" | "charge" | "refund" | "extend";
  readonly ask: Ask;
  readonly ranAtUs: number;
  /** By this machine's clock, the one that Redis reads too. */
  readonly sentUs: number;
  readonly receivedUs: number;
  readonly answer: unknown;
}

const clockUs = () => (performance.timeOrigin + performance.now()) * 1000;

/** A client's own way to Redis, which notes when the last script of this client ran. */
function ownClient(): { readonly store: Store; readonly ranAtUs: () => number } {
  let ranAtUs = 0;
  const noting =
    (send: RedisClient["eval"]): RedisClient["eval"] =>
    async (...asked) => {
      const reply = await send(...asked);
      [ranAtUs] = reply as [number];
      return reply;
    };
  const client = {
    evalsha: noting((...asked) => rest.evalsha(...asked)),
    eval: noting((...asked) => rest.eval(...asked)),
  };
  return { store: redisStore(client, ALL_SCRIPTS), ranAtUs: () => ranAtUs };
}

const slots = concurrency({ name: "slots", limit: 6, ttl: "1s" });

const groups: Policy[][] = [
  [tokenBucket({ limit: 200, refill: 2, per: "1s" })],
  [slidingWindowLog({ limit: 25, window: "100ms" })],
  [slidingWindowCounter({ limit: 10, window: "100ms" })],
  [segmentedWindow({ limit: 10, window: "100ms", segments: 6 })],
  [fixedWindow({ limit: 10, window: "100ms" })],
  [slots],
  [slidingWindowLog({ name: "burst", limit: 20, window: "100ms" }), slots],
  [
    segmentedWindow({ name: "burst", limit: 15, window: "50ms" }),
    tokenBucket({ name: "rate", limit: 20, refill: 200, per: "1s" }),
    fixedWindow({ name: "total", limit: 60, window: "200ms" }),
    slots,
  ],
];

const CLIENTS = 12;
const REQUESTS = Math.max(20, runs(80));

test.for(
  groups.map((group) => ({ group, names: group.map(({ algorithm }) => algorithm).join(" and ") })),
)(
  "holds that concurrent clients of $names take, give back and extend have one order, and the model agrees",
  async ({ group }) => {
    const policies = compile(group);
    const id = crypto.randomUUID();
    const keys = policies.map(({ name }) => `tg:{${id}}:${name}`);
    const hasSlots = group.includes(slots);
    const calls: Call[] = [];
    /** The holds that any client may end: they are settled where the request ends, which is not always where it began. */
    const held: { readonly slot: Slot; readonly costs: number[]; readonly nowUs: number }[] = [];

    async function live(number: number): Promise<void> {
      const next = random(number);
      const { store, ranAtUs } = ownClient();
      const perform = async (kind: Call["kind"], ask: Ask) => {
        const sentUs = clockUs();
        const answer = await ask(store);
        calls.push({ kind, ask, ranAtUs: ranAtUs(), sentUs, receivedUs: clockUs(), answer });
        return answer;
      };
      for (let request = 0; request < REQUESTS; request++) {
        const draw = next();
        const hold = held.at(-1 - Math.floor(next() * Math.min(8, held.length)));
        if (draw < 0.45 || !hold) {
          const slot = { id: crypto.randomUUID(), ttlUs: 20_000 + Math.floor(next() * 60_000) };
          const costs = policies.map(() => (next() < 0.6 ? 1 : 1 + Math.floor(next() * 4)));
          const reply = (await perform("consume", (asked) =>
            asked.decide("consume", keys, costs, policies, slot),
          )) as Awaited<ReturnType<Store["decide"]>>;
          const took = reply.rows.every(({ allowed }) => allowed);
          if (took) held.push({ slot, costs, nowUs: reply.nowUs });
        } else if (draw < 0.85) {
          // Before it is sent: no other client gives it back.
          held.splice(held.indexOf(hold), 1);
          const { slot, costs, nowUs } = hold;
          const back = costs.map((cost) => Math.ceil(next() * cost));
          await perform("refund", (asked) => asked.refund!(keys, back, policies, { nowUs }, slot));
        } else if (draw < 0.95 && hasSlots) {
          const slot = { ...hold.slot, ttlUs: 30_000 };
          await perform("extend", (asked) => asked.extend!(keys, policies, slot));
        } else if (draw < 0.98) {
          await perform("peek", (asked) =>
            asked.decide(
              "peek",
              keys,
              policies.map(() => 1),
              policies,
            ),
          );
        } else {
          const costs = policies.map(({ implementation }) => (implementation.hasSlots ? 0 : 3));
          await perform("charge", (asked) => asked.decide("charge", keys, costs, policies));
        }
      }
    }
    const count = (...kinds: readonly string[]) =>
      calls.filter((call) => kinds.includes(outcomeOf(call))).length;
    const isEnough = () =>
      Math.min(count("took"), count("denied"), count("returned")) > 10 &&
      (!hasSlots || count("kept") >= 5);
    // On a busy machine most windows end before their limits are reached: the clients go on until they are.
    let rounds = 0;
    while (!isEnough()) {
      const first = CLIENTS * rounds++;
      await Promise.all(Array.from({ length: CLIENTS }, (_, number) => live(first + number)));
    }

    const ordered = calls.toSorted((a, b) => a.ranAtUs - b.ranAtUs);
    expect(ordered.length).toBe(CLIENTS * REQUESTS * rounds);
    expect(new Set(ordered.map(({ ranAtUs }) => ranAtUs)).size).toBe(ordered.length);
    let nowUs = 0;
    const model = openMemoryStore({ now: () => nowUs });
    for (const { ask, ranAtUs, sentUs, receivedUs, answer } of ordered) {
      nowUs = ranAtUs;
      expect(answer).toEqual(await ask(model));
      // The two clocks are read differently, and may be a little apart.
      expect(nowUs).toBeGreaterThan(sentUs - 2_000);
      expect(nowUs).toBeLessThan(receivedUs + 2_000);
    }
  },
);

/** The outcome of a call. */
function outcomeOf({ kind, answer }: Call): string {
  switch (kind) {
    case "consume": {
      const { rows } = answer as { rows: readonly { allowed: boolean }[] };
      return rows.every(({ allowed }) => allowed) ? "took" : "denied";
    }
    case "refund":
      return (answer as number[]).some((given) => given > 0) ? "returned" : "nothing";
    case "extend":
      return (answer as boolean[]).every(Boolean) ? "kept" : "expired";
    default:
      return kind;
  }
}
