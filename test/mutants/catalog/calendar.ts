import type { Written } from "../written.ts";

const BOUNDARIES = "src/algorithms/calendar-boundaries.ts";
const CURRENT = "src/algorithms/calendar-definition.ts";
const DEFINITION = "src/algorithms/calendar-definition.ts";
const ZONE = "src/algorithms/calendar-zone.ts";
const SCRIPT = "lua/algorithms/calendar-window.lua";
const DATES = ["test/algorithms/calendar-boundaries"];
const CLOCKS = ["test/algorithms/calendar-zone"];
const ANCHORS = ["test/algorithms/calendar-anchors"];
const COUNTS = ["test/model/calendar-windows"];
const LIMITER = ["test/limiter/calendar-windows"];
const LUA = ["test/lua/calendar-window"];

/** Windows that people bill by. */
export const CALENDAR: readonly Written[] = [
  {
    name: "a day of 25 hours begins with the second of two midnights",
    file: BOUNDARIES,
    find: "for (const [i, { fromMs, offsetMs }] of stretches.entries()) {",
    replace: "for (const [i, { fromMs, offsetMs }] of [...stretches.entries()].reverse()) {",
    tests: DATES,
  },
  {
    name: "the window after has the length of this one",
    file: CURRENT,
    find: "followingUs: (next - ends!) * 1000,",
    replace: "followingUs: (ends! - starts!) * 1000,",
    tests: DATES,
  },
  {
    name: "boundaries are renewed while a request waits",
    file: CURRENT,
    find: "setTimeout(renew, 0);",
    replace: "renew();",
    tests: LIMITER,
  },
  {
    name: "the window of the time at which the limiter was made stays",
    file: DEFINITION,
    find: "get startsUs() {\n      current = windowOfNow();",
    replace: "get startsUs() {",
    tests: COUNTS,
  },
  {
    name: "the key of a policy says nothing of its calendar",
    file: DEFINITION,
    find: "meaning: ({ parameters }) => [nameOfCalendar(parameters)],",
    replace: "meaning: () => [],",
    tests: ANCHORS,
  },
  {
    name: "a week has one change of the clocks",
    file: ZONE,
    find: "while (offsetAt(end) !== offsetMs) {",
    replace: "if (offsetAt(end) !== offsetMs) {",
    tests: CLOCKS,
  },
  {
    name: "a script takes the length of this month for that of the next",
    file: SCRIPT,
    find: "local boundary, later = closes, closes + following",
    replace: "local boundary, later = closes, 2 * closes - opens",
    tests: LUA,
  },
  {
    name: "a script lets an isolate with other data end the window of others",
    file: SCRIPT,
    find: "ends > later + near",
    replace: "ends > later",
    tests: LUA,
  },
  {
    name: "a script ends a window by the boundaries of both isolates, one after the other",
    file: SCRIPT,
    find: "boundary - ends <= near and later or boundary",
    replace: "boundary",
    tests: LUA,
  },
  {
    name: "a script gives back to a window what the one before took",
    file: SCRIPT,
    find: "if taken_at >= began and now < ends",
    replace: "if now < ends",
    tests: LUA,
  },
];
