import type { Written } from "../written.ts";

const BOUNDARIES = "src/algorithms/calendar/boundaries.ts";
const CURRENT = "src/algorithms/calendar/current.ts";
const DEFINITION = "src/algorithms/calendar/definition.ts";
const ZONE = "src/algorithms/calendar/zone.ts";
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
    name: "the lengths of the windows before and after are swapped",
    file: CURRENT,
    find: "((starts! - before!) * NEIGHBOUR + (next - ends!))",
    replace: "((next - ends!) * NEIGHBOUR + (starts! - before!))",
    tests: COUNTS,
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
    name: "the setting of a policy says nothing of its calendar",
    file: DEFINITION,
    find: "setting: ({ parameters }) => nameOfCalendar(parameters),",
    replace: 'setting: () => "",',
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
    name: "a month that begins for one of two calendars first has the length of the month before",
    file: SCRIPT,
    find: "boundary, later, lost = opens, closes, closes + following, false",
    replace: "boundary, later, lost = opens, closes, closes + before, false",
    tests: LUA,
  },
  {
    name: "a script takes the length of the window before for that of the window after",
    file: SCRIPT,
    find: "boundary, later = closes, closes + following,",
    replace: "boundary, later = closes, closes + before,",
    tests: LUA,
  },
  {
    name: "a script lets an isolate whose clock is wrong end the window of others",
    file: SCRIPT,
    find: " or lost and ends - now <= following",
    replace: "",
    tests: LUA,
  },
  {
    name: "a script ends a window by both of two calendars, one after the other",
    file: SCRIPT,
    find: "boundary - last <= near and later or boundary",
    replace: "boundary",
    tests: LUA,
  },
  {
    name: "a script forgets that two calendars share the count",
    file: SCRIPT,
    find: "if stored_setting == 513 and last ~= starts then",
    replace: "if false then",
    tests: LUA,
  },
];
