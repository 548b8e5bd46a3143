import type { Implementation } from "./algorithm.ts";
import type { AlgorithmModel } from "./model.ts";

/**
 * Makes an algorithm by which only drop-ins count. No limiter has policies of it, so that it is what stores read and no more; its
 * script is a whole one, in place of the one for a single policy.
 */
export function defineForDropIns<Parameters, State>(
  name: string,
  model: AlgorithmModel<Parameters, State>,
): Implementation {
  return { name, script: "", model } as unknown as Implementation;
}
