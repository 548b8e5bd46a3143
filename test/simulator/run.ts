import type { Statistics } from "./invariants/invariant.ts";
import { perform } from "./perform.ts";
import { recover } from "./recovery.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { createSimulation, type SimulationOptions } from "./simulation.ts";
import { silence, type Trace } from "./trace.ts";
import { installVirtualGlobals } from "./virtual-globals.ts";

export interface RunOptions {
  /** Puts a limiter together in another way than the product does. */
  readonly assemble?: SimulationOptions["assemble"];
  readonly trace?: Trace;
  readonly statistics?: Statistics;
}

/** Runs a scenario to its end; returns the violation, if any. */
export async function run(
  scenario: Scenario,
  { trace = silence, statistics = new Map(), assemble }: RunOptions = {},
): Promise<Error | undefined> {
  const timed: Trace = (line) =>
    trace(() => `${(simulation.scheduler.now / 1e6).toFixed(6).padStart(13)} s  ${line()}`);
  const options = { trace: timed, statistics, ...(assemble && { assemble }) };
  const simulation = createSimulation(scenario, options);
  const restore = installVirtualGlobals(simulation.scheduler);
  try {
    for (const step of scenario.steps) {
      await simulation.scheduler.advance(simulation.scheduler.now + step.gap);
      await perform(step, simulation, scenario, options);
    }
    await recover(scenario, simulation, timed);
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    restore();
  }
}
