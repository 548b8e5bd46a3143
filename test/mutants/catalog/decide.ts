import type { Written } from "../written.ts";

/** The steps of a decision, and its answer. */
export const DECIDE: readonly Written[] = [
  {
    name: "a denial that a hold can end is known",
    file: "src/decide/local-denials.ts",
    find: " && !denying[i]!.refundable",
    replace: "",
    tests: ["test/limiter/reserve"],
  },
  {
    name: "refundable units share denials with units that are not",
    file: "src/decide/limiter-context.ts",
    find: "policy.refundable === refundable &&",
    replace: "",
    tests: ["test/limiter/reserve"],
  },
  {
    name: "waits: a denial that fills a ban says nothing of it",
    file: "src/decide/outcome.ts",
    find: 'if (role !== "denials" && !denies',
    replace: "if (!denies",
    tests: ["test/limiter/bans"],
  },
  {
    name: "a reset forgets a denial before Redis has",
    file: "src/decide/known-denials.ts",
    find: "        return Promise.resolve(next(asked)).then((verdict) => {",
    replace:
      "        known.forget(asked.groups);\n        return Promise.resolve(next(asked)).then((verdict) => {\n          if (verdict) return verdict;",
    tests: ["test/limiter/reset"],
  },
  {
    name: "a denial is anchored when the answer arrives",
    file: "src/decide/local-denials.ts",
    find: "cacheFor(group).learn(partition, costs, decidedAtMs,",
    replace: "cacheFor(group).learn(partition, costs, now(),",
    tests: ["test/limiter/decision-path"],
  },
  {
    name: "a client that was never denied waits for the shared cache",
    file: "src/decide/known-denials.ts",
    find: "expired.get(each) ? {",
    replace: "expired.has(each) ? {",
    tests: ["test/denials/shared-denials"],
  },
  {
    name: "a closed policy lets pass",
    file: "src/decide/without-store.ts",
    find: "isClosed ? 503 : inOrder().some(deniesIn) ? 429 : 200",
    replace: "isClosed || !inOrder().some(deniesIn) ? 200 : 429",
    tests: ["test/limiter/outage"],
  },
  {
    name: "the key leaves its prefix out",
    file: "src/limiter/limiter.ts",
    find: "`${prefix}:{",
    replace: "`tg:{",
    tests: ["test/limiter/keys"],
  },
  {
    name: "Retry-After rounded down",
    file: "src/decide/header-fields.ts",
    find: "return Math.ceil(microseconds / 1e6);",
    replace: "return Math.floor(microseconds / 1e6);",
    tests: ["test/decision"],
  },
  {
    name: "a look is a request",
    file: "src/limiter/limiter.ts",
    find: 'ask("peek", identity, options)',
    replace: 'ask("consume", identity, options)',
    tests: ["test/limiter/keys"],
  },
  {
    name: "partial replies: live masters keep what a denied request took",
    file: "src/decide/without-store.ts",
    find: "if (status !== 200 && giveBack) {",
    replace: "if (status === 201 as number && giveBack) {",
    tests: ["test/limiter/several-masters"],
  },
  {
    name: "knowledge: a denial is known that a give-back could lift",
    file: "src/decide/local-denials.ts",
    find: "(isOnePartition || (store.spansPartitions?.(prefix) ?? true))",
    replace: "true",
    tests: ["test/limiter/several-masters"],
  },
  {
    name: "a decision over several masters is dated by the last of them",
    file: "src/decide/ask-store.ts",
    find: "if (each.at.nowUs > nowUs) nowUs",
    replace: "nowUs",
    tests: ["test/limiter/several-groups"],
  },
];
