import type { Invariant, Observed } from "./invariant.ts";

/** First contact with a server: EVALSHA and EVAL, each in both dialects. */
const MAX_COMMANDS = 4;

/** Whatever gets lost on the way, a call takes its cost once at most, and what it takes is what was asked. */
export function singleExecution({ violated }: Pick<Observed, "violated">): Invariant {
  return {
    sending({ commands, answer }) {
      if (commands > MAX_COMMANDS)
        violated("single-execution", `${commands} commands for one call`);
      if (answer && commands === 1) violated("single-execution", "sent after the answer");
    },
    executed({ operation, costs }, { method, cost: asked, executions }) {
      if (executions.length > 1) {
        violated("single-execution", `${method}() ran ${executions.length} times`);
      }
      const taking = method === "limit" ? "consume" : method;
      const expected = asked === 0 && method !== "reset" ? "peek" : taking;
      if (operation !== expected || costs.some((cost) => cost !== asked)) {
        violated("single-execution", `${operation} of ${costs.join()} for ${method}() of ${asked}`);
      }
    },
  };
}
