import type { Written } from "../written.ts";

const STEP = "src/features/notice-steps.ts";
const MARKS = "src/features/notice-marks.ts";
const WEBHOOK = "src/gateway/config/webhook.ts";
const FEATURE = ["test/notices/notices"];
const SENDING = ["test/notices/webhook"];

/** Notices before a limit is reached. */
export const NOTICES: readonly Written[] = [
  {
    name: "an isolate asks about a notice with every request",
    file: MARKS,
    find: "nowMs >= silence.untilMs",
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
    name: "another limit is no news",
    file: MARKS,
    find: "ofLimit: limit }",
    replace: "ofLimit: 1 }",
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
    name: "a receiver keeps the connection",
    file: WEBHOOK,
    find: 'Connection: "close",',
    replace: "",
    tests: ["test/notices/hostile-receiver"],
  },
];
