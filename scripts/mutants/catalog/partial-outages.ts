import type { Written } from "../written.ts";

const SETTLE = "src/features/holds/settle.ts";
const TESTS = ["test/limiter/partial-outages"];

/** Holds over several masters of which some do not answer. */
export const PARTIAL_OUTAGES: readonly Written[] = [
  {
    name: "partial outages: what a healthy master took counts as counted here",
    file: "src/features/holds/settle.ts",
    find: "changes.filter(({ verdict }) => verdict.by === by)",
    replace: 'changes.filter(({ verdict }) => by === "here" || verdict.by === by)',
    tests: TESTS,
  },
  {
    name: "partial outages: what nobody answered counts as taken by the store",
    file: "src/decide/outage.ts",
    find: 'rows, by: "here", at',
    replace: 'rows, by: "store", at',
    tests: TESTS,
  },
  {
    name: "partial outages: a part that ran is sent again with one that did not",
    file: SETTLE,
    find: "(failures[i] && isNotAsked(failures[i]) ? each : 0)",
    replace: "each",
    tests: TESTS,
  },
  {
    name: "partial outages: of a charge that one master missed nothing is done",
    file: "src/features/holds/settle.ts",
    find: "      .filter(({ error }) => !error)\n",
    replace: "      .filter(() => failed.length === 0)\n",
    tests: TESTS,
  },
  {
    name: "partial outages: the first failure decides what is known",
    file: SETTLE,
    find: "failures.find((failure) => !isNotAsked(failure))",
    replace: "failures.slice(1).find((failure) => !isNotAsked(failure))",
    tests: TESTS,
  },
  {
    name: "partial outages: a refund in parts says nothing of what came back",
    file: "src/store/cluster/refund-in-parts.ts",
    find: "throw new PartialRefundError(failures, given)",
    replace: "throw failures.find((failure) => failure)!",
    tests: TESTS,
  },
  {
    name: "partial outages: a hold extends slots that it never took",
    file: "src/features/holds/give-back.ts",
    find: "          costs[i]! > 0 &&\n",
    replace: "",
    tests: TESTS,
  },
];
