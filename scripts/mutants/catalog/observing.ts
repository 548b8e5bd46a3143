import type { Written } from "../written.ts";

const DENIALS = { file: "src/metrics/denial-log.ts", tests: ["test/metrics/denial-log"] };
const ANALYTICS = { file: "src/metrics/analytics.ts", tests: ["test/metrics/analytics.test"] };
const SPANS = {
  file: "src/features/telling/span-attributes.ts",
  tests: ["test/limiter/span-attributes"],
};

/** What logs, spans and datasets say of decisions, and what a clean stop writes. */
export const OBSERVING: readonly Written[] = [
  {
    ...DENIALS,
    name: "a minute of the log of denials has no end of partitions",
    find: "if (minute.size === MAX_PARTITIONS) {",
    replace: "if (minute.size < 0) {",
  },
  {
    ...DENIALS,
    name: "a denial of the next minute is logged in the one before",
    find: "      endMinuteAt(nowMs);\n",
    replace: "",
  },
  {
    ...DENIALS,
    name: "the log of denials has characters that are not ASCII",
    find: "/[^ -~]/g",
    replace: "/[\\n]/g",
  },
  {
    ...DENIALS,
    name: "a clean stop keeps the denials of the minute that is under way",
    find: "      if (current) ended.push(current);\n",
    replace: "",
  },
  {
    file: "src/metrics/partition-name.ts",
    tests: ["test/metrics/denial-log"],
    name: "the log of denials names addresses where they are to be hashed",
    find: 'identities === "plain" ? identity : await withoutFacts(identity)',
    replace: "identity",
  },
  {
    file: "src/metrics/periodic-writes.ts",
    tests: ["test/metrics/stop"],
    name: "a clean stop does not wait for a write that is under way",
    find: "await Promise.all(underWay);",
    replace: "",
  },
  {
    file: "src/gateway/gateway.ts",
    tests: ["test/metrics/stop"],
    name: "a clean stop writes nothing",
    find: "{ flush: writes.flush }",
    replace: "{ flush: async () => {} }",
  },
  {
    ...ANALYTICS,
    name: "a flush writes more data points than Cloudflare takes",
    find: ".slice(0, MAX_POINTS)",
    replace: "",
  },
  {
    ...ANALYTICS,
    name: "data points are written again with each flush",
    find: "        waiting.delete(field);\n",
    replace: "",
  },
  {
    ...ANALYTICS,
    name: "the index of a data point is bounded in characters",
    find: "rule.slice(0, read)",
    replace: "rule.slice(0, MAX_INDEX_BYTES)",
  },
  {
    ...ANALYTICS,
    name: "a dataset that fails takes the counts with it",
    find: "if (!isFailing) onError(error);",
    replace: "throw error;",
  },
  {
    file: "src/worker.ts",
    tests: ["test/stack/native-spans"],
    name: "the deployed worker says nothing on Cloudflare's spans",
    find: "  onDecision: spanAttributes(tracing),\n",
    replace: "",
  },
  {
    ...SPANS,
    name: "looking and charging are said on spans as decisions",
    find: '    if (operation === "peek" || operation === "charge") return;\n',
    replace: "",
  },
  {
    ...SPANS,
    name: "spans say of denials without Redis that they failed open",
    find: 'allowed && reason === "store-unavailable"',
    replace: 'reason === "store-unavailable"',
  },
  {
    ...SPANS,
    name: "spans that nobody will see are written to",
    find: " || span.isRecording?.() === false",
    replace: "",
  },
  {
    file: "src/decision/outcome.ts",
    tests: ["test/limiter/span-attributes"],
    name: "a soft policy is said to have denied",
    find: "!denies(outcome, i)",
    replace: "outcome.rows[i]!.allowed",
  },
];
