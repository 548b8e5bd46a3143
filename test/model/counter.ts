import { expect } from "vitest";

import type { Evaluation, Operation } from "../../src/algorithms/model.ts";
import { refund } from "../../src/algorithms/refund.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";

/** One count on the models, which any policy may ask, by a clock that the test moves. Microseconds. */
export function counterAt(startUs: number) {
  let state: unknown;
  let askedAt = startUs;
  return {
    now: startUs,
    ask(policy: CompiledPolicy, operation: Operation, cost = 1): Evaluation<unknown> {
      const { implementation, limit, parameters } = policy;
      const request = { nowUs: this.now, operation, cost, limit, parameters };
      const outcome = implementation.model(state, request);
      // A look leaves the state as it is, unless the clock has gone back.
      if (operation === "peek" && this.now >= askedAt) expect(outcome.state).toBe(state);
      askedAt = this.now;
      ({ state } = outcome);
      return outcome;
    },
    /** Tells how much came back. */
    giveBack(policy: CompiledPolicy, takenAtUs: number, cost: number): number {
      const { algorithm, limit, parameters } = policy;
      const request = { nowUs: this.now, takenAtUs, cost, limit, parameters };
      const { refunded, state: left } = refund(algorithm, state, request);
      state = left;
      return refunded;
    },
  };
}
