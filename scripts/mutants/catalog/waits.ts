import type { Mutant } from "../mutant.ts";

/** Waits that clients can obey. */
export const WAITS: readonly Mutant[] = [
  {
    name: "waits: clients without a slot wait until the first one expires",
    file: "src/decision/outcome.ts",
    find: 'parameters["retryAfterUs"] ?? Infinity',
    replace: "Infinity",
    tests: ["test/limiter/concurrency"],
  },
  {
    name: "waits: the decision says another wait than its fields",
    file: "src/decision/decision.ts",
    find: "toldWaitUs(this.#parts.policies[i]!, row)",
    replace: "row.retryAfterUs",
    tests: ["test/limiter/concurrency"],
  },
];
