import type { Written } from "../written.ts";

const STEP = "src/features/notices/step.ts";
const MARKS = "src/features/notices/marks.ts";
const WEBHOOK = "src/gateway/notices/webhook.ts";
const FEATURE = ["test/notices/notices"];
const SENDING = ["test/notices/webhook"];

/** Notices before a limit is reached. */
export const NOTICES: readonly Written[] = [
  {
    name: "every isolate tells a notice",
    file: STEP,
    find: "if (told.allowed && telling.allowed) {",
    replace: "if (told.allowed || telling.allowed || true) {",
    tests: FEATURE,
  },
  {
    name: "a notice that was told is not noted",
    file: STEP,
    find: "[key!], [2], [told]",
    replace: "[key!], [1], [told]",
    tests: FEATURE,
  },
  {
    name: "an isolate asks about a notice with every request",
    file: MARKS,
    find: "nowMs >= untilMs",
    replace: "nowMs >= 0",
    tests: FEATURE,
  },
  {
    name: "a peek tells",
    file: STEP,
    find: 'if (operation === "peek") return next(asked);',
    replace: "",
    tests: FEATURE,
  },
  {
    name: "a charge is told as a denial",
    file: STEP,
    find: 'operation === "consume" && !row.allowed',
    replace: "!row.allowed",
    tests: FEATURE,
  },
  {
    name: "counts of an outage are told",
    file: STEP,
    find: "if (!isKnown(each, verdict)) continue;",
    replace: "",
    tests: FEATURE,
  },
  {
    name: "a known denial tells nothing",
    file: STEP,
    find: '(isEarlyDenial(reason) || reason === "optimistic")',
    replace: 'reason === "optimistic"',
    tests: FEATURE,
  },
  {
    name: "what is settled tells nothing",
    file: STEP,
    find: "return asked.isSettlement ? after",
    replace: "return asked.isCountedInMemory ? after",
    tests: FEATURE,
  },
  {
    name: "a reset leaves what was told",
    file: STEP,
    find: "if (keys.length > 0) await store.reset(keys);",
    replace: "",
    tests: FEATURE,
  },
  {
    name: "another limit is no news",
    file: MARKS,
    find: "${share ?? kind}/${policy.limit}",
    replace: "${share ?? kind}",
    tests: FEATURE,
  },
  {
    name: "a shadow tells denials",
    file: MARKS,
    find: 'denied: policy.role === "advisory" ? undefined : createMark',
    replace: "denied: createMark",
    tests: FEATURE,
  },
  {
    name: "rounding delays a notice",
    file: MARKS,
    find: " * (1 - 1e-12)",
    replace: "",
    tests: FEATURE,
  },
  {
    name: "a receiver leads a message elsewhere",
    file: WEBHOOK,
    find: 'redirect: "manual"',
    replace: 'redirect: "follow"',
    tests: SENDING,
  },
  {
    name: "a body without end is waited for",
    file: WEBHOOK,
    find: "await response.body?.cancel();",
    replace: "await response.text();",
    tests: SENDING,
  },
  {
    name: "a silent receiver is waited for",
    file: WEBHOOK,
    find: "signal: aborted.signal,",
    replace: "",
    tests: SENDING,
  },
  {
    name: "only the first key signs",
    file: WEBHOOK,
    find: "keys.map((key) => sign",
    replace: "keys.slice(0, 1).map((key) => sign",
    tests: SENDING,
  },
  {
    name: "a flood of notices is under way at once",
    file: WEBHOOK,
    find: "underWay.size >= MAX_UNDER_WAY",
    replace: "underWay.size < 0",
    tests: SENDING,
  },
  {
    name: "a receiver keeps the connection",
    file: WEBHOOK,
    find: 'Connection: "close",',
    replace: "",
    tests: ["test/notices/hostile-receiver"],
  },
  {
    name: "a message that was cut off is under way for ever",
    file: WEBHOOK,
    find: "dropLost(begun.atMs);",
    replace: "",
    tests: ["test/notices/cut-off"],
  },
];
