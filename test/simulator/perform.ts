import { count, keysOf, type Statistics } from "./invariants/invariant.ts";
import { type Action, describeAction, type Step } from "./scenario/action.ts";
import type { Scenario } from "./scenario/scenario.ts";
import type { Simulation } from "./simulation.ts";
import type { Trace } from "./trace.ts";

/** Does one step of a scenario. */
export async function perform(
  { action, seed }: Step,
  { scheduler, network, redis, call, waiting, truth, stepClock }: Simulation,
  scenario: Scenario,
  { trace, statistics }: { readonly trace: Trace; readonly statistics: Statistics },
): Promise<void> {
  count(statistics, action.kind);
  if (action.kind !== "call") trace(() => describeAction(action));
  await scheduler.act(() => {
    switch (action.kind) {
      case "call":
        return call(action.isolate, action.ask, seed);
      case "knock":
        return knock(action);
      case "weather":
        return network.change(action.weather, action.isolate);
      case "restart":
        return redis.restart(action.downtime);
      case "failover":
        return redis.failOver(action.lostWrites, action.downtime);
      case "clock-step":
        return redis.stepClock(action.by);
      case "isolate-step":
        return stepClock(action.isolate, action.by);
      case "eviction":
        return redis.evict(keysOf(scenario, action.identity)[action.policy]!);
      case "hang":
        return redis.hang(action.duration);
      case "script-flush":
        return redis.flushScripts();
      case "dialect":
        return redis.setDialect(action.knowsKeyLocking);
    }
  });

  function knock({ identity, cost, off }: Action & { kind: "knock" }): void {
    const isolate = waiting.get(identity);
    if (isolate === undefined) return;
    const wait = Math.max(...truth(identity, cost).map(({ retryAfterUs }) => retryAfterUs));
    scheduler.at(scheduler.now + wait + off, () =>
      call(isolate, { method: "limit", identity, cost }, seed),
    );
  }
}
