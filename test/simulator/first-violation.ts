import { assemble } from "./isolate.ts";
import { run } from "./run.ts";
import { drawScenario } from "./scenario/scenario.ts";

/** Within how many seeds a mistake must show. */
const SEEDS = 300;

/** The first fault that the simulator finds in a product put together in this way. */
export async function firstViolation(
  mutant: typeof assemble = assemble,
): Promise<string | undefined> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const violation = await run(drawScenario(seed), { assemble: mutant });
    if (violation) return violation.message;
  }
  return undefined;
}
