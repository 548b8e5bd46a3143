import type { Decision } from "../../../src/decide/decision.ts";
import type { Limiter } from "../../../src/decide/limiter-types.ts";
import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import { buildLimiter } from "../../../src/limiter/limiter.ts";
import type { LimiterSettings } from "../../../src/limiter/settings.ts";
import { createSlotBreaker } from "../../../src/store/cluster/slot-breaker.ts";
import { splitStore } from "../../../src/store/cluster/split-store.ts";
import { guardStore } from "../../../src/store/guarded-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { count, type Statistics } from "../invariants/invariant.ts";
import { createIsolateClock } from "../isolate-clock.ts";
import { createRandom } from "../random.ts";
import { createScheduler } from "../scheduler.ts";
import { installVirtualGlobals } from "../virtual-globals.ts";
import { brokenPromise, leftBehind } from "./promises.ts";
import type { PartitionedScenario, PartitionedStep } from "./scenario.ts";
import { createWorld, type World } from "./world.ts";

/** The longest time for which a denial may be known after another plan's request has changed the count behind it. */
const MAX_TRUST = 60e6;

export interface Run {
  readonly violation: string | undefined;
  /** In the order of the steps. */
  readonly decisions: readonly Decision[];
}

export type Assemble = (store: Store, settings: LimiterSettings) => Limiter;

/** As the product does. */
export const assemble: Assemble = (store, settings) => {
  const guard = guardStore(
    store,
    { timeoutMs: 1_000, now: settings.now, onStoreError: () => {} },
    createSlotBreaker(),
  );
  return buildLimiter(splitStore(guard), settings, EVERY_FEATURE);
};

/** Runs a scenario to its end. */
export async function runPartitioned(
  scenario: PartitionedScenario,
  statistics: Statistics = new Map(),
  assembled: Assemble = assemble,
): Promise<Run> {
  const { settings, steps, isolates: size, masters, lost } = scenario;
  const scheduler = createScheduler(() => {});
  const randoms = new WeakMap<object, ReturnType<typeof createRandom>>();
  const world = createWorld(scenario, scheduler, (call) => randoms.get(call as object)!);
  const isolates = Array.from({ length: size }, () => {
    const clock = createIsolateClock({ offset: 0, wallOffset: 0, drift: 0 }, scheduler);
    return { clock, limiter: assembled(world.store, { ...settings, now: clock.monotonic }) };
  });
  const decisions: Decision[] = [];
  const admitted = new Set<unknown>();
  let violation: string | undefined;

  function judge(step: PartitionedStep, decision: Decision): void {
    count(statistics, decision.reason);
    if (decision.reason !== "cached-denial") return;
    const denied = decision.policies.filter(({ allowed }) => !allowed);
    const truth = denied.filter(({ name }) => isTrue(world, scenario, step, name, scheduler.now));
    if (truth.length === 0) violation ??= "the server would have admitted what was denied";
  }

  async function decide(i: number, call: { readonly isolate: (typeof isolates)[number] }) {
    const { identity, cost, plan } = steps[i]!;
    try {
      const decision = await call.isolate.limiter.limit(identity, { cost, plan });
      decisions[i] = decision;
      if (decision.allowed) admitted.add(call);
      judge(steps[i]!, decision);
    } catch (error) {
      violation ??= (error as Error).stack;
    }
  }

  const restore = installVirtualGlobals(scheduler);
  try {
    for (const [i, step] of steps.entries()) {
      await scheduler.advance(scheduler.now + step.gap);
      const isolate = isolates[step.isolate]!;
      const call = { isolate };
      randoms.set(call, createRandom(step.seed));
      await scheduler.act(() =>
        scheduler.runAs(call as never, () => {
          void decide(i, call);
        }),
      );
    }
    await scheduler.advance(scheduler.end);
    await scheduler.advance(scheduler.end);
  } finally {
    restore();
  }
  const isAdmitted = (call: unknown) => admitted.has(call);
  violation ??= brokenPromise(world, isAdmitted);
  if (lost === 0) violation ??= leftBehind(world, isAdmitted);
  count(statistics, masters > 1 ? "Cluster" : "one Redis");
  if (world.giveBacks.sent > 0) count(statistics, "give-back");
  if (world.giveBacks.lost > 0) count(statistics, "lost give-back");
  if (world.giveBacks.late > 0) count(statistics, "late give-back");
  return { violation, decisions };
}

/** Whether a policy denies this request now; or did, before a request of another plan changed its counts. */
function isTrue(
  world: World,
  { settings }: PartitionedScenario,
  { identity, plan, cost }: PartitionedStep,
  name: string,
  now: number,
): boolean {
  const policies = plan === undefined ? settings.policies : settings.plans.get(plan)!;
  const policy = policies.find((each) => each.name === name)!;
  const partition = policy.by === "*" ? "*" : identity[policy.by!]!;
  const key = `${settings.prefix}:{${partition}}:${policy.key}`;
  const units = typeof cost === "number" ? cost : (cost[name] ?? 1);
  const own = policy.role === "denials" ? 0 : units;
  const { allowed } = world.look([key], [own], [policy])[0]!;
  if (!allowed) return true;
  return world.evaluated.some(
    (each) => each.key === key && each.at > now - MAX_TRUST && each.policy.limit !== policy.limit,
  );
}
