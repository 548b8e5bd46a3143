import type { Written } from "../written.ts";

const STREAMS = ["test/limiter/hold-stream"];
const BY_USAGE = ["test/llm/settle-by-usage"];
const SLOTS = ["test/limiter/concurrency"];

/** What somebody could gain by the way in which a late cost comes. */
export const LATE_COSTS: readonly Written[] = [
  {
    name: "an estimate of 0 takes no slot",
    file: "src/decide/cost.ts",
    find: "ones[i]! * (implementation.hasSlots ? 1 : cost)",
    replace: "ones[i]! * cost",
    tests: SLOTS,
  },
  {
    name: "a named cost above the number of slots is denied",
    file: "src/decide/cost.ts",
    find: "implementation.hasSlots ? Math.min(1, cost[name]!) : cost[name]!",
    replace: "cost[name]!",
    tests: SLOTS,
  },
  {
    name: "a cost above the number of slots is a fault",
    file: "src/adapter/request-cost.ts",
    find: "if (implementation?.hasSlots) return false;",
    replace: "",
    tests: ["test/hono/concurrency"],
  },
  {
    name: "a slot ends although its response is still sent",
    file: "src/features/holds/create-hold.ts",
    find: "if (isDue()) void extend(ttlUs);",
    replace: "",
    tests: STREAMS,
  },
  {
    name: "each chunk extends its slot",
    file: "src/features/holds/create-hold.ts",
    find: "if (isDue()) void extend(ttlUs);",
    replace: "void extend(ttlUs);",
    tests: STREAMS,
  },
  {
    name: "chunks keep a slot for longer than its hold wants it",
    file: "src/features/holds/create-hold.ts",
    find: "[ttlUs, keptAtMs] = [wantedUs, settler.now()];",
    replace: "keptAtMs = settler.now();",
    tests: STREAMS,
  },
  {
    name: "a socket frees its slot when it begins",
    file: "src/features/holds/create-hold.ts",
    find: "if (response.status === 101) return undefined;",
    replace: "",
    tests: [...STREAMS, "test/hono/concurrency"],
  },
  {
    name: "a stream that broke off costs no more than the estimate, whatever it told",
    file: "src/llm/settle-by-usage.ts",
    find: "      Math.max(units, toldOf(name)),",
    replace: "      units,",
    tests: BY_USAGE,
  },
  {
    name: "the tokens of a usage count for every policy",
    file: "src/llm/settle-by-usage.ts",
    find: "names.length > 0 ?",
    replace: "names.length > 99 ?",
    tests: BY_USAGE,
  },
  {
    name: "a cost that is refused leaves the slot taken",
    file: "src/llm/settle-by-usage.ts",
    find: "if (cost !== undefined) await hold.settle();",
    replace: "",
    tests: BY_USAGE,
  },
  {
    name: "a hold reserves failures as if they were a usage",
    file: "src/features/holds/create-hold.ts",
    find: "refundable && !countsFailures && !hasSlots",
    replace: "refundable && !hasSlots",
    tests: STREAMS,
  },
  {
    name: "a low maximum hides a high one of another name",
    file: "src/llm/estimate-tokens.ts",
    find: "Math.ceil(Math.max(...maxima))",
    replace: "Math.ceil(maxima[0]!)",
    tests: ["test/llm/estimate-tokens"],
  },
  {
    name: "what answers to HEAD goes on without its slot",
    file: "src/features/holds/settle-response.ts",
    find: "return withoutBody(response);",
    replace: "return response;",
    tests: ["test/hono/concurrency"],
  },
];
