import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { Reply } from "../../src/store/store.ts";
import type { Ask, Call } from "./call.ts";
import { keysOf } from "./invariants/invariant.ts";
import { createRandom } from "./random.ts";
import { IDENTITIES, type Scenario } from "./scenario/scenario.ts";
import { type Simulation, Violation } from "./simulation.ts";
import type { Trace } from "./trace.ts";

/** Microseconds after the last fault within which every isolate must be back at the store. */
const WITHIN = 2e6;
const BETWEEN_REQUESTS = 400_000;

/** Waits that may follow each other before a client that keeps to them is let in. */
const MAX_WAITS = 3;

/** Ends all faults, and checks that everything is as if there had been none. */
export async function recover(
  scenario: Scenario,
  simulation: Simulation,
  trace: Trace,
): Promise<void> {
  const { scheduler, network, redis, isolates } = simulation;
  const random = createRandom(scenario.recoverySeed);

  function fail(what: string): never {
    throw new Violation("recovery", what);
  }

  /** A call, answered. */
  async function ask(isolate: number, method: Ask["method"], identity: string): Promise<Call> {
    let call: Call;
    await scheduler.act(() => {
      call = simulation.call(isolate, { method, identity, cost: 1 }, random.seed());
    });
    await scheduler.advance(call!.deadline);
    return call!;
  }

  trace(() => "every fault ends");
  network.change(scenario.calm);
  await scheduler.act(() => redis.recover());
  const healed = scheduler.now + WITHIN;
  for (let request = 0; scheduler.now < healed - BETWEEN_REQUESTS; request++) {
    for (const { number } of isolates) {
      const asked = {
        method: "limit",
        identity: `after-${request}-in-${number}`,
        cost: 1,
      } as const;
      await scheduler.act(() => simulation.call(number, asked, random.seed()));
    }
    await scheduler.advance(scheduler.now + BETWEEN_REQUESTS);
  }
  await scheduler.advance(healed);

  trace(() => "everybody agrees");
  await agree();
  await scheduler.advance(scheduler.end);
  trace(() => "nobody is locked out");
  for (const identity of IDENTITIES) await passes(identity);

  /** All isolates count a fresh identity together, exactly as one memory would. */
  async function agree(): Promise<void> {
    const { policies } = scenario.settings;
    const identity = "fresh";
    const keys = keysOf(scenario, identity);
    let clock = 0;
    const reference = openMemoryStore({ now: () => clock });
    for (const method of ["limit", "limit", "peek"] as const) {
      for (const { number } of isolates) {
        const { answer, executions } = await ask(number, method, identity);
        const { reason, policies: told } = answer!.decision!;
        if (reason === "cached-denial") continue;
        if (reason !== "allowed" && reason !== "limited") fail(`isolate ${number}: ${reason}`);
        ({ clock } = executions[0]!);
        const operation = method === "limit" ? "consume" : method;
        const { rows } = reference.decide(
          operation,
          keys,
          policies.map(() => 1),
          policies,
        ) as Reply;
        for (const [i, { allowed, remaining, retryAfterUs }] of rows.entries()) {
          const row = told[i]!;
          const agrees =
            row.allowed === allowed &&
            row.remaining === remaining &&
            row.retryAfterMs === retryAfterUs / 1000;
          if (!agrees) {
            fail(
              `isolate ${number}: ${JSON.stringify(row)}, the model: ${JSON.stringify(rows[i])}`,
            );
          }
        }
      }
    }
  }

  /** A client that waits as told gets in, in any state. */
  async function passes(identity: string): Promise<void> {
    const isolate = random.integer(0, isolates.length - 1);
    for (let waits = 0; waits <= MAX_WAITS; waits++) {
      const { allowed, retryAfterMs } = (await ask(isolate, "limit", identity)).answer!.decision!;
      if (allowed) return;
      // As much longer as the isolate's clock may run ahead.
      await scheduler.advance(Math.ceil(scheduler.now + retryAfterMs * 1000 * 1.001) + 1000);
    }
    fail(`"${identity}" waited as told, and was not let in`);
  }
}
