import {
  concurrency,
  type ConcurrencyOptions,
  fixedWindow,
  segmentedWindow,
  slidingWindowLog,
} from "../support/limiter/plain.ts";
import { each, type Faulty, policy, withBucket, withOptions, withPolicy } from "./faulty.ts";

const segmented = (segments: number) => ({
  policies: [segmentedWindow({ limit: 1, window: "1s", segments })],
});
const calendar = (changes: object) => ({
  policies: [fixedWindow({ name: "p", limit: 10, window: "month", ...changes } as never)],
});
const slots = (changes: object) => ({
  policies: [concurrency({ limit: 10, ...changes } as ConcurrencyOptions)],
});
const planned = (options: object, numbers: object) => ({
  ...options,
  plans: { gold: { p: numbers } },
});

const TIME = /^Give a time with its unit \(ms, s, m, h or d\) from "1ms" to "366d"/;
const WHOLE = /^Give a whole number from 1 to 9007199254740991\.$/;
const REFILL = /^Give a whole number from 1 to 1000000000\.$/;
const BUILT = /made by tokenBucket\(\)/;
const NAME = /^Use 1 to 64 ASCII letters, digits, dots/;
const VERDICT = /^Use "open", "closed" or "local", or \{ local: \{ share: 0\.1 \} \} for a tenth/;
const SHARE = /^Give a number above 0, up to 1: with 0\.1/;
const SHARES = [0, -0.1, 1.000001, 10];
const JITTER = /^Give a number from 0 to 1: with 0\.1/;
const JITTERS = [-0.1, 1.1, "10%", Number.NaN, true];
const DAY = /^Give a day of the (?:month from 1 to 31|week from 1 to 7), or a moment such as "/;
const MOMENT = /^Give a moment such as "2026-03-15T10:30:00Z", with whose time each (?:day|hour) /;
const ZONE = /^Give the IANA name of a time zone, such as "Europe\/Berlin"/;
const ONLY_CALENDAR = /^Only windows of a calendar have it: "month", "week", "day" or "hour"\./;
const UNIT = /^Use "month", "week", "day" or "hour"/;
const HOLD_TIME = /from "1s" to "24h", such as "60s"/;

/** Options that no policy can have, or none of its algorithm. */
export const FAULTY_POLICIES: Faulty[] = [
  ...each(
    "policies[0].limit",
    WHOLE,
    [undefined, 0, -1, Number.NaN, Infinity, 1.5, "10", 2 ** 53],
    (limit) => withPolicy({ limit }),
  ),
  ...each(
    "policies[0].window",
    TIME,
    [undefined, "10", 10_000, "1w", "-1s", "0s", "0.5ms", "367d", "1  s"],
    (window) => withPolicy({ window }),
  ),
  ...each("policies[0].refill", REFILL, [undefined, 0, 0.5], (refill) => withBucket({ refill })),
  ['policies[0].per: "second"', withBucket({ per: "second" }), TIME],
  [
    "policies[0].limit: 1000",
    withBucket({ limit: 1000, refill: 1, per: "1d" }),
    /more than 366 days to refill: lower the limit or raise the refill/,
  ],
  [
    "policies[0].limit: 100001",
    { policies: [slidingWindowLog({ limit: 100_001, window: "1s" })] },
    /to 100000, or a segmented-window for more/,
  ],
  ...each("policies[0].segments", /from 1 to 60/, [0, 61], segmented),
  ["policies[0]: null", { policies: [null] }, BUILT],
  ...each("policies[0].algorithm", BUILT, ["leaky"], (algorithm) => withPolicy({ algorithm })),
  ...each("policies[0].algorithm", BUILT, ["fixed-window", null], (algorithm) => ({
    policies: [{ algorithm, limit: 1, window: "1s" }],
  })),
  ...each("policies[0].name", NAME, ["café", "a}b", 'a"b', "", 7], (name) => withPolicy({ name })),
  [`policies[0].name: "${"n".repeat(56)}...`, withPolicy({ name: "n".repeat(65) }), NAME],
  [
    'policies[1].name: "fixed-window-10-1s"',
    { policies: [policy, policy] },
    /policies\[0\] has this name, too/,
  ],
  ...each(
    "policies[0].advertise",
    /^Give true, or false to tell clients nothing/,
    ["no", null, 0],
    (advertise) => withPolicy({ advertise }),
  ),
  ...each("policies[0].onFailure.local.share", SHARE, SHARES, (share) =>
    withPolicy({ onFailure: { local: { share } } }),
  ),
  ...each("onFailure.local.share", SHARE, SHARES, (share) =>
    withOptions({ onFailure: { local: { share } } }),
  ),
  ...each(
    "policies[0].onFailure",
    VERDICT,
    [
      "maybe",
      {},
      [],
      null,
      0.1,
      { local: 0.1 },
      { local: {} },
      { local: { share: "10%" } },
      { local: { share: Number.NaN } },
      { local: { share: 0.1, of: 2 } },
      { local: { share: 0.1 }, open: true },
      { open: { share: 0.1 } },
    ],
    (onFailure) => withPolicy({ onFailure }),
  ),
  ['onFailure: "no"', withOptions({ onFailure: "no" }), VERDICT],
  ...each("policies[0].retryJitter", JITTER, JITTERS, (retryJitter) => withPolicy({ retryJitter })),
  ...each("retryJitter", JITTER, JITTERS, (retryJitter) => withOptions({ retryJitter })),

  // Windows of a calendar.
  ...each(
    "policies[0].anchor",
    DAY,
    [0, 32, 1.5, -1, 1e6, "15", "2026-02-30T00:00:00Z", null, {}],
    (anchor) => calendar({ anchor }),
  ),
  ["policies[0].anchor: 8", calendar({ window: "week", anchor: 8 }), DAY],
  ["policies[0].anchor: 1", calendar({ window: "day", anchor: 1 }), MOMENT],
  ["policies[0].anchor: 30", calendar({ window: "hour", anchor: 30 }), MOMENT],
  ...each("policies[0].timeZone", ZONE, ["Europe/Atlantis", "", 1, null], (timeZone) =>
    calendar({ timeZone }),
  ),
  ['policies[0].timeZone: "UTC"', calendar({ window: "1d", timeZone: "UTC" }), ONLY_CALENDAR],
  ["policies[0].anchor: 15", calendar({ window: "30d", anchor: 15 }), ONLY_CALENDAR],
  ...each("policies[0].window", UNIT, ["year", "1 month"], (window) =>
    calendar({ window, timeZone: "UTC" }),
  ),
  ...each(
    "policies[0].aligned",
    /^Leave it out: windows of a calendar begin with its months/,
    [false, null],
    (aligned) => calendar({ aligned }),
  ),
  ['plans.gold.p.window: "30d"', planned(calendar({}), { window: "30d" }), UNIT],
  ...[{}, { limit: 5 }, { timeZone: "UTC", anchor: 1 }].map((numbers): Faulty => [
    'plans.gold.p.window: "30d"',
    planned(calendar({ anchor: 15, timeZone: "Asia/Tokyo" }), { window: "30d", ...numbers }),
    UNIT,
  ]),
  [
    'plans.gold.p.window: "week"',
    planned(calendar({ anchor: 15 }), { limit: 5, window: "week" }),
    /^Give anchor, too, or another value here: the policy's own anchor, 15, does not fit\. Give a day of the week from 1 to 7/,
  ],
  [
    'plans.gold.p.window: "month"',
    planned(calendar({ window: "30d" }), { window: "month" }),
    /^Give a time with its unit/,
  ],

  // Slots.
  ["policies[0].limit: 100001", slots({ limit: 100_001 }), /to 100000/],
  ["policies[0].limit: 0", slots({ limit: 0 }), /whole number from 1/],
  ...each("policies[0].ttl", HOLD_TIME, ["999ms", "25h", 60], (ttl) => slots({ ttl })),
  ['plans.gold.p.ttl: "25h"', planned(slots({ name: "p" }), { ttl: "25h" }), HOLD_TIME],
  ['policies[0].window: "(a string)"', slots({ window: "1m" }), /The options are/],
  ['policies[0].lease: "100ms"', slots({ lease: "100ms" }), /^Leave it out: each hold/],
  [
    'lease: "100ms"',
    { ...slots({}), lease: "100ms" },
    /^Leave it out: each hold takes a slot of its own/,
  ],
  ["policies[0].shards: 2", slots({ shards: 2 }), /^Leave it out: all slots/],
  [
    'policies[1].counts: "denials"',
    { policies: [policy, concurrency({ limit: 10, counts: "denials" })] },
    /^Leave it out: a slot belongs to a hold/,
  ],
];
