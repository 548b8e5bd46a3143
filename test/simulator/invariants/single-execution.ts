import { isDecided } from "../call.ts";
import type { Invariant, Observed } from "./invariant.ts";

/** A server of another dialect than expected: EVALSHA and EVAL, each in both. */
const MAX_COMMANDS = 4;

/** With any losses on the way, a call takes its cost once at most, and takes exactly the units asked. */
export function singleExecution({ violated }: Pick<Observed, "violated">): Invariant {
  return {
    sending({ commands, answer }) {
      if (commands > MAX_COMMANDS)
        violated("single-execution", `${commands} commands for one call`);
      if (answer && commands === 1) violated("single-execution", "sent after the answer");
    },
    executed({ operation, costs }, call) {
      const { method, cost: asked, executions, settles } = call;
      if (executions.length > 1) {
        violated("single-execution", `${method}() ran ${executions.length} times`);
      }
      if (settles) {
        const more = asked - settles.call.cost;
        const expected = more > 0 ? "charge" : "refund";
        if (operation !== expected || costs.some((cost) => cost !== Math.abs(more))) {
          violated("single-execution", `${operation} of ${costs.join()} to settle ${more} more`);
        }
        return;
      }
      const taking = isDecided(method) ? "consume" : method;
      const expected = asked === 0 && method !== "reset" ? "peek" : taking;
      if (operation !== expected || costs.some((cost) => cost !== asked)) {
        violated("single-execution", `${operation} of ${costs.join()} for ${method}() of ${asked}`);
      }
    },
  };
}
