import { takeApart } from "../../../../src/limiter/take-apart.ts";
import { Faults } from "../../../../src/options/faults.ts";
import { compilePolicy } from "../../../../src/policy/compile.ts";
import type { Policy } from "../../../../src/policy/policy.ts";
import { openMemoryStore, storeOver } from "../../../../src/store/memory-store.ts";
import { createMemory } from "../../../../src/store/memory.ts";
import type { Model, Settings } from "./models.ts";
import { scaleOf, SPAN_MS, STEP_MS } from "./scale.ts";

export interface Outcome {
  /** On the time line. */
  readonly atMs: number;
  readonly allowed: boolean;
  readonly remaining: number;
  /** Of the time that the time line stands for. */
  readonly retryAfterMs: number;
}

export interface Replay {
  /** In the order of the requests. */
  readonly outcomes: readonly Outcome[];
  /** The state that a further request would find at each step. */
  readonly steps: readonly Outcome[];
  readonly faults: readonly string[];
}

type Event = readonly [atMs: number, order: number, run: () => void];

/** Decides requests at these moments with the product's own models. */
export function replay(model: Model, settings: Settings, hits: readonly number[]): Replay {
  const faults = new Faults();
  const { startMs, factor } = scaleOf(model, settings);
  let atMs = 0;
  const now = () => Math.round((startMs + atMs * factor) * 1000);
  const given = { policies: [model.policy(settings)] };
  const { options, features } = takeApart<{ policies: Policy[] }>(given, faults);
  const adopted = features.calendar?.adopt(options.policies, openMemoryStore({ now }));
  const [known] = adopted ?? options.policies;
  const policy = compilePolicy(known, "policy", faults, () => {});
  if (!policy || faults.list.length > 0) {
    const sentences = faults.list.map(({ path, value, remedy }) => `${path}, ${value}: ${remedy}`);
    return { outcomes: [], steps: [], faults: sentences };
  }
  const store = storeOver(createMemory(), now);
  const outcomes: Outcome[] = [];
  const steps: Outcome[] = [];

  function ask(operation: "consume" | "peek", id = ""): Outcome {
    const slot = policy!.implementation.hasSlots ? { id, ttlUs: Infinity } : undefined;
    const { rows } = store.decide(operation, ["key"], [1], [policy!], slot);
    const { allowed, remaining, retryAfterUs } = rows[0]!;
    return { atMs, allowed, remaining, retryAfterMs: retryAfterUs / 1000 };
  }
  function release(id: string): void {
    store.refund(["key"], [1], [policy!], { nowUs: 0 }, { id, ttlUs: 0 });
  }

  const events: Event[] = [];
  for (let step = 0; step <= SPAN_MS; step += STEP_MS) {
    events.push([step, 2, () => steps.push(ask("peek"))]);
  }
  hits.forEach((hit, i) => {
    events.push([hit, 1, () => outcomes.push(ask("consume", `hit-${i}`))]);
    if (policy.implementation.hasSlots) {
      events.push([hit + settings.work * 1000, 0, () => release(`hit-${i}`)]);
    }
  });
  // A request that ends at a moment makes room for one that begins then, and a step looks at both.
  for (const [moment, , run] of events.sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    atMs = moment;
    run();
  }
  return { outcomes, steps, faults: [] };
}

/** The moments of a burst from here, spread evenly; earlier where the time line ends. */
export function burstAt(nowMs: number, requests: number, lastsMs: number): readonly number[] {
  const from = Math.max(0, Math.min(nowMs, SPAN_MS - lastsMs));
  return Array.from({ length: requests }, (_, i) => from + Math.round((i * lastsMs) / requests));
}

/** The most requests that were admitted within any time of this length. */
export function mostWithin(outcomes: readonly Outcome[], lengthMs: number): number {
  const admitted = outcomes.filter(({ allowed }) => allowed);
  let most = 0;
  let first = 0;
  admitted.forEach(({ atMs }, last) => {
    while (admitted[first]!.atMs <= atMs - lengthMs) first++;
    most = Math.max(most, last - first + 1);
  });
  return most;
}
