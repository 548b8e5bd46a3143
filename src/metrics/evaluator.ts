import { KEY_LOCKING } from "../algorithms/scripts.generated.ts";
import { isUnknownDialect } from "../store/redis/errors.ts";
import type { SendCommand } from "../store/redis/rest.ts";

/** Runs a script in the spelling that this Redis knows. */
export type Evaluate = (
  script: string,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

export function evaluator(send: SendCommand): Evaluate {
  let firstLine: string = KEY_LOCKING;

  return async function evaluate(script, keys, args) {
    const run = (line: string) => send(["EVAL", line + script, keys.length, ...keys, ...args]);
    const mine = firstLine;
    try {
      return await run(mine);
    } catch (error) {
      // Surely not run.
      if (mine === "" || !isUnknownDialect(error)) throw error;
      firstLine = "";
      return run("");
    }
  };
}
