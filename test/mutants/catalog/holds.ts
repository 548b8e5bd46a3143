import type { Written } from "../written.ts";

/** Reservations, settlements and refunds. */
export const HOLDS: readonly Written[] = [
  {
    name: "a hold can be settled twice",
    file: "src/features/holds/create-hold.ts",
    find: "last.unsent.length > 0 ? settleBy(last.unsent, parts, last.settlement) : last",
    replace: "settleBy(settlementCalls(cost, taken, parts.policies, slot), parts, last.settlement)",
    tests: ["test/limiter/reserve"],
  },
  {
    name: "a denied hold gives back",
    file: "src/features/holds/holds-feature.ts",
    find: "verdict.status === 200 ? verdict.groups : []",
    replace: "verdict.groups",
    tests: ["test/limiter/create-hold"],
  },
  {
    name: "a slot is kept when its hold is settled",
    file: "src/features/holds/settle-hold.ts",
    find: "if (hasSlots(policy)) return costs[i]!;",
    replace: "if (hasSlots(policy)) return 0;",
    tests: ["test/limiter/concurrency"],
  },
  {
    name: "any policy gives back",
    file: "src/features/holds/settle-hold.ts",
    find: "if (policy.refundable) return",
    replace: "if (policy) return",
    tests: ["test/limiter/reserve"],
  },
  {
    name: "units counted in an outage are given back twice",
    file: "src/features/holds/settle-hold.ts",
    find: "error && !isNotAsked(error) &&",
    replace: "error &&",
    tests: ["test/limiter/reserve"],
  },
  {
    name: "units counted in an outage come back to the window after theirs",
    file: "src/features/holds/give-back.ts",
    find: "sinceUs <= takenAtUs && takenAtUs <= nowUs",
    replace: "takenAtUs <= nowUs",
    tests: ["test/limiter/give-back"],
  },
  {
    name: "two settlements at once both run",
    file: "src/features/holds/create-hold.ts",
    find: "    progress = progress\n",
    replace: "    progress = (progress as unknown) === 0\n",
    tests: ["test/limiter/reserve"],
  },
  {
    name: "chunks keep a slot for longer than its hold wants it",
    file: "src/features/holds/create-hold.ts",
    find: "[ttlUs, keptAtMs] = [wantedUs, parts.now()];",
    replace: "keptAtMs = parts.now();",
    tests: ["test/limiter/hold-stream"],
  },
  {
    name: "failures: every response is one",
    file: "src/features/holds/settle-response.ts",
    find: "!statuses.has(status)",
    replace: "false",
    tests: ["test/hono/failures"],
  },
  {
    name: "spread charges: a part of which nothing is known is sent again",
    file: "src/features/holds/settle-hold.ts",
    find: "const unsent = failed.filter(({ error }) => isNotAsked(error!));",
    replace: "const unsent = failed;",
    tests: ["test/limiter/spread-settlements"],
  },
  {
    name: "partial outages: units of a healthy master count as counted here",
    file: "src/features/holds/settle-hold.ts",
    find: "changes.filter(({ verdict }) => verdict.countedBy === counter)",
    replace:
      'changes.filter(({ verdict }) => counter === "memory" || verdict.countedBy === counter)',
    tests: ["test/limiter/partial-outages"],
  },
  {
    name: "partial outages: the first failure decides what is known",
    file: "src/features/holds/settle-hold.ts",
    find: "failures.find((failure) => !isNotAsked(failure))",
    replace: "failures.slice(1).find((failure) => !isNotAsked(failure))",
    tests: ["test/limiter/partial-outages"],
  },
  {
    name: "a settlement repeats the charge of one shard, of several that were not sent",
    file: "src/features/holds/settle-hold.ts",
    find: "before ? before.map((units, i) => units + asked.costs[i]!) : asked.costs",
    replace: "asked.costs",
    tests: ["test/limiter/spread-settlements"],
  },
  {
    name: "what keeps an isolate alive is over before a hold is settled",
    file: "src/features/holds/create-hold.ts",
    find: "waitUntil?.(ended)",
    replace: "waitUntil?.(Promise.resolve())",
    tests: ["test/limiter/hold-stream"],
  },
];
