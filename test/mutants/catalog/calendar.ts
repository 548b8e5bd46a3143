import type { Written } from "../written.ts";

const BOUNDARIES = "src/algorithms/calendar/boundaries.ts";
const CURRENT = "src/algorithms/calendar/current.ts";
const DEFINITION = "src/algorithms/calendar/definition.ts";
const OPTIONS = "src/algorithms/calendar/options.ts";
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
    name: "a month, week or day has its first millisecond in the window before it",
    file: BOUNDARIES,
    find: "found.findLastIndex((boundary) => boundary <= ms)",
    replace: "found.findLastIndex((boundary) => boundary < ms)",
    tests: DATES,
  },
  {
    name: "a day of 23 hours begins in an hour that the clocks skip",
    file: BOUNDARIES,
    find: "Math.max(fromMs, localMs - offsetMs)",
    replace: "localMs - offsetMs",
    tests: DATES,
  },
  {
    name: "a day of 25 hours begins with the second of two midnights",
    file: BOUNDARIES,
    find: "for (const [i, { fromMs, offsetMs }] of stretches.entries()) {",
    replace: "for (const [i, { fromMs, offsetMs }] of [...stretches.entries()].reverse()) {",
    tests: DATES,
  },
  {
    name: "a day that a zone has skipped is a window of no length",
    file: BOUNDARIES,
    find: "if (boundary !== found.at(-1)) found.push(boundary);",
    replace: "found.push(boundary);",
    tests: DATES,
  },
  {
    name: "the 30th of February is a day of March",
    file: BOUNDARIES,
    find: "Math.min(anchor, lastDay)",
    replace: "anchor",
    tests: DATES,
  },
  {
    name: "the last day of a month is that of the month before",
    file: BOUNDARIES,
    find: "Date.UTC(1970, number + 1, 0)",
    replace: "Date.UTC(1970, number, 0)",
    tests: DATES,
  },
  {
    name: "a week begins a day late",
    file: BOUNDARIES,
    find: "(number * 7 + anchor - FIRST_WEEKDAY)",
    replace: "(number * 7 + anchor - 3)",
    tests: DATES,
  },
  {
    name: "no hour is cut where the grid of hours moves",
    file: BOUNDARIES,
    find: "if (past > 0 && isMoved) found.push(startMs);",
    replace: "",
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
    name: "a window goes on through its last moment",
    file: CURRENT,
    find: "ms * 1000 < current.endsUs",
    replace: "ms * 1000 <= current.endsUs",
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
    name: "boundaries are never renewed ahead",
    file: CURRENT,
    find: "ms > list[list.length >> 1]!",
    replace: "ms < 0",
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
    name: "a moment is an anchor by the clocks of UTC",
    file: OPTIONS,
    find: "zone?.localAt(ms) ?? ms",
    replace: "ms",
    tests: ANCHORS,
  },
  {
    name: "a subscription that began on a Sunday has no day of the week",
    file: OPTIONS,
    find: "local.getUTCDay() || 7",
    replace: "local.getUTCDay()",
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
    name: "clocks change a second late",
    file: ZONE,
    find: "while (after - before > 1) {",
    replace: "while (after - before > 1_000) {",
    tests: DATES,
  },
  {
    name: "a script takes the length of the window before for that of the window after",
    file: SCRIPT,
    find: "boundary, later = closes, closes + following,",
    replace: "boundary, later = closes, closes + before,",
    tests: LUA,
  },
  {
    name: "a script takes a clock that goes back for another calendar",
    file: SCRIPT,
    find: "ends == closes + following or lost",
    replace: "lost",
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
    name: "a script puts a request of the boundary into the window that ends there",
    file: SCRIPT,
    find: "if not ends or now >= ends then",
    replace: "if not ends or now > ends then",
    tests: LUA,
  },
  {
    name: "a script gives units of the window before back to this one",
    file: SCRIPT,
    find: "if began and taken_at >= began + near and",
    replace: "if began and",
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
    name: "a script keeps a window of two calendars no longer than its end",
    file: SCRIPT,
    find: "setting == 513 and ends + near or ends",
    replace: "ends",
    tests: LUA,
  },
  {
    name: "a script forgets that two calendars share the count",
    file: SCRIPT,
    find: "if stored_setting == 513 and last ~= starts then",
    replace: "if false then",
    tests: LUA,
  },
  {
    name: "units come back from the beginning of a window that two calendars share",
    file: "src/algorithms/calendar-window.ts",
    find: "const near = setting === OF_TWO ? nearUs(after) : 0;",
    replace: "const near = 0 * after;",
    tests: COUNTS,
  },
  {
    name: "memory keeps a window of two calendars no longer than its end",
    file: "src/algorithms/calendar-window.ts",
    find: "setting === OF_TWO ? endsUs + near : undefined",
    replace: "undefined",
    tests: ["test/store/memory-ends"],
  },
  {
    name: "a look under a plan with another zone moves the count there",
    file: SCRIPT,
    find: "ends, repaired = boundary, operation ~= 'peek'",
    replace: "ends, repaired = boundary, true",
    tests: ["test/limiter/peeks"],
  },
];
