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
    find: "Math.max(longest, toldWaitUs(this.#parts, i))",
    replace: "Math.max(longest, this.#parts.rows[i]!.retryAfterUs)",
    tests: ["test/limiter/concurrency"],
  },
  {
    name: "waits: a denial that fills a ban says nothing of it",
    file: "src/decision/outcome.ts",
    find: 'if (role !== "denials" && !denies',
    replace: "if (!denies",
    tests: ["test/limiter/bans"],
  },
];
