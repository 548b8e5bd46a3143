import { run, type RunOptions } from "./run.ts";
import type { Scenario } from "./scenario/scenario.ts";
import { Violation } from "./simulation.ts";

/** A scenario that fails by the same rule with fewer steps, as few as leaving some out leads to. */
export async function shrink(
  scenario: Scenario,
  { rule }: Violation,
  options: Pick<RunOptions, "assemble">,
): Promise<Scenario> {
  let smallest = scenario;
  for (let size = smallest.steps.length >> 1; size >= 1;) {
    let removed = false;
    for (let from = smallest.steps.length - size; from >= 0; from -= size) {
      const candidate = { ...smallest, steps: without(smallest.steps, from, size) };
      const violation = await run(candidate, options);
      if (!(violation instanceof Violation) || violation.rule !== rule) continue;
      smallest = candidate;
      removed = true;
    }
    if (!removed || size > 1) size >>= 1;
  }
  return smallest;
}

/** The steps but for some of them; later ones keep their times. */
function without(steps: Scenario["steps"], from: number, size: number): Scenario["steps"] {
  const left = steps.slice(from, from + size).reduce((sum, { gap }) => sum + gap, 0);
  const [next, ...rest] = steps.slice(from + size);
  return [...steps.slice(0, from), ...(next ? [{ ...next, gap: next.gap + left }, ...rest] : [])];
}
