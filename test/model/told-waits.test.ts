import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";

const NOW_US = 1_800_000_003_000_000;

// Where a model keeps units for a moment too long, a client that waits as told would wait for ever.
test.for([...everyPolicy(5, "10s"), fixedWindow({ limit: 5, window: "10s", aligned: false })])(
  "in memory, a $algorithm admits a client that waits as told, and not a microsecond earlier",
  (policy) => {
    const { implementation, limit, parameters } = compilePolicy(policy);
    const ask = (state: unknown, nowUs: number, cost: number) =>
      implementation.model(state, { nowUs, operation: "consume", cost, limit, parameters });
    const { state } = ask(undefined, NOW_US, limit);
    const { allowed, retryAfterUs } = ask(state, NOW_US, 1);
    expect(allowed).toBe(false);
    const moments = [NOW_US + retryAfterUs - 1, NOW_US + retryAfterUs];
    expect(moments.map((nowUs) => ask(state, nowUs, 1).allowed)).toEqual([false, true]);
  },
);
