import type { assemble } from "./isolate.ts";
import { run } from "./run.ts";
import { drawScenario } from "./scenario/scenario.ts";
import { shrink } from "./shrink.ts";
import { Violation } from "./simulation.ts";

/** Enough to see what led to the end. */
const LINES = 80;

/** The failure of a seed: how to see it again, and the shortest story found that ends the same way. */
export async function explain(
  seed: number,
  violation: Error,
  assembled: { readonly assemble?: typeof assemble } = {},
): Promise<string> {
  const command = `SIMULATOR_SEED=${seed} npx vitest run --project node test/simulator/simulator.test.ts`;
  const title = `Seed ${seed}: ${violation.message}\nAgain, with all its events: ${command}`;
  // An error that is no violation is a fault of the simulator's own.
  if (!(violation instanceof Violation)) return `${title}\n${violation.stack}`;
  const lines: string[] = [];
  const shortest = await shrink(drawScenario(seed), violation, assembled);
  await run(shortest, { ...assembled, trace: (line) => lines.push(line()) });
  const { settings, timeoutMs, clocks } = shortest;
  return [
    title,
    `The shortest way there, of ${clocks.length} isolates with a timeout of ${timeoutMs} ms and`,
    ...settings.policies.map((policy) => `  ${JSON.stringify(policy)}`),
    ...lines.slice(-LINES),
  ].join("\n");
}
