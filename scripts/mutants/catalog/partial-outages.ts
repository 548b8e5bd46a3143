import type { Mutant } from "../mutant.ts";

const TAKEN_OF = "src/limiter/taken-of.ts";
const SETTLE = "src/limiter/settle.ts";
const GIVE_BACK = "src/limiter/give-back.ts";
const TESTS = ["test/limiter/partial-outages"];

/** Holds over several masters of which some do not answer. */
export const PARTIAL_OUTAGES: readonly Mutant[] = [
  {
    name: "partial outages: what a healthy master took counts as counted here",
    file: TAKEN_OF,
    find: "if (!partial) return [{ request",
    replace: "if (true) return [{ request",
    tests: TESTS,
  },
  {
    name: "partial outages: what nobody answered counts as taken by the store",
    file: TAKEN_OF,
    find: "return partial.rows[start]\n",
    replace: "return true\n",
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
    file: SETTLE,
    find: "done.map((each, i) => (failures[i] ? 0 : each))",
    replace: "done.map(() => 0)",
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
    file: "src/store/refund-in-parts.ts",
    find: "throw new PartialRefundError(failures, given)",
    replace: "throw failures.find((failure) => failure)!",
    tests: TESTS,
  },
  {
    name: "partial outages: a hold extends slots that it never took",
    file: GIVE_BACK,
    find: "hasSlots(policies[i]!) && costs[i]! > 0 && isHere",
    replace: "hasSlots(policies[i]!) && isHere",
    tests: TESTS,
  },
];
