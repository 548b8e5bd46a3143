import { expect } from "vitest";

import { MODELS, refund } from "../../src/algorithms/all.ts";
import type { Evaluation, Operation } from "../../src/algorithms/model.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";

/**
 * One partition under one name on the models, which any policy may ask, by a clock that the test moves. Microseconds. As in a
 * store, policies count together whose units mean the same.
 */
export function counterAt(startUs: number) {
  const states = new Map<string, unknown>();
  let askedAt = startUs;
  return {
    now: startUs,
    ask(policy: CompiledPolicy, operation: Operation, cost = 1): Evaluation<unknown> {
      const { algorithm, limit, parameters } = policy;
      const request = { nowUs: this.now, operation, cost, limit, parameters };
      const state = states.get(meaningOf(policy));
      const outcome = MODELS[algorithm]!(state, request);
      // A look leaves the state as it is, unless the clock has gone back.
      if (operation === "peek" && this.now >= askedAt) expect(outcome.state).toBe(state);
      askedAt = this.now;
      states.set(meaningOf(policy), outcome.state);
      return outcome;
    },
    /** Tells how much came back. */
    giveBack(policy: CompiledPolicy, takenAtUs: number, cost: number): number {
      const { algorithm, limit, parameters } = policy;
      const request = { nowUs: this.now, takenAtUs, cost, limit, parameters };
      const { refunded, state } = refund(algorithm, states.get(meaningOf(policy)), request);
      states.set(meaningOf(policy), state);
      return refunded;
    },
  };
}

/** The end of its keys, without its name. */
export function meaningOf({ implementation, ...quota }: CompiledPolicy): string {
  return [implementation.name, ...implementation.meaning(quota)].join(":");
}
