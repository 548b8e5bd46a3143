import { fixedWindow } from "../../src/index.ts";
import type { FaultyOptions } from "./faulty-options.ts";

const windows = (changes: object) => ({
  policies: [fixedWindow({ name: "p", limit: 10, window: "month", ...changes } as never)],
});
const DAY = /^Give a day of the (?:month from 1 to 31|week from 1 to 7), or a moment such as "/;
const MOMENT = /^Give a moment such as "2026-03-15T10:30:00Z", with whose time each (?:day|hour) /;
const ONLY = /^Only windows of a calendar have it: "month", "week", "day" or "hour"\./;

/** Options that windows of a calendar cannot have. */
export const FAULTY_CALENDAR: FaultyOptions[] = [
  ...[0, 32, 1.5, -1, 1e6, "15", "2026-02-30T00:00:00Z", null, {}].map((anchor): FaultyOptions => {
    const text = JSON.stringify(anchor);
    return [`a month from ${text} on`, windows({ anchor }), "policies[0].anchor", text, DAY];
  }),
  [
    "a week from the eighth day on",
    windows({ window: "week", anchor: 8 }),
    "policies[0].anchor",
    "8",
    DAY,
  ],
  [
    "a day from a number on",
    windows({ window: "day", anchor: 1 }),
    "policies[0].anchor",
    "1",
    MOMENT,
  ],
  [
    "an hour from a number on",
    windows({ window: "hour", anchor: 30 }),
    "policies[0].anchor",
    "30",
    MOMENT,
  ],
  ...["Europe/Atlantis", "", 1, null].map((timeZone): FaultyOptions => {
    const text = JSON.stringify(timeZone);
    const remedy = /^Give the IANA name of a time zone, such as "Europe\/Berlin"/;
    return [`a time zone ${text}`, windows({ timeZone }), "policies[0].timeZone", text, remedy];
  }),
  [
    "a time zone of a length",
    windows({ window: "1d", timeZone: "UTC" }),
    "policies[0].timeZone",
    '"UTC"',
    ONLY,
  ],
  [
    "an anchor of a length",
    windows({ window: "30d", anchor: 15 }),
    "policies[0].anchor",
    "15",
    ONLY,
  ],
  [
    "a window that no calendar has",
    windows({ window: "year", timeZone: "UTC" }),
    "policies[0].window",
    '"year"',
    /^Use "month", "week", "day" or "hour"/,
  ],
  [
    "a month with a number in a time zone",
    windows({ window: "1 month", timeZone: "UTC" }),
    "policies[0].window",
    '"1 month"',
    /^Use "month", "week", "day" or "hour"/,
  ],
  [
    "a window of a calendar that begins with a request",
    windows({ aligned: false }),
    "policies[0].aligned",
    "false",
    /^Leave it out: windows of a calendar begin with its months/,
  ],
  [
    "a plan that makes a length of a calendar",
    { ...windows({}), plans: { gold: { p: { window: "30d" } } } },
    "plans.gold.p.window",
    '"30d"',
    /^Use "month", "week", "day" or "hour"/,
  ],
  [
    "a plan that makes a calendar of a length",
    { ...windows({ window: "30d" }), plans: { gold: { p: { window: "month" } } } },
    "plans.gold.p.window",
    '"month"',
    /^Give a time with its unit/,
  ],
];
