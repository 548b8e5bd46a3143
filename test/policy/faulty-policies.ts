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

const SHARES = [0, -0.1, 1.000001, 10];

const JITTERS = [-0.1, 1.1, "10%", Number.NaN, true];

/** Options that no policy can have, or none of its algorithm. */
export const FAULTY_POLICIES: Faulty[] = [
  ...each(
    "policies[0].limit",
    "range",
    [undefined, 0, -1, Number.NaN, Infinity, 1.5, "10", 2 ** 53],
    (limit) => withPolicy({ limit }),
  ),
  ...each(
    "policies[0].window",
    "range",
    [undefined, "10", 10_000, "1w", "-1s", "0s", "0.5ms", "367d", "1  s"],
    (window) => withPolicy({ window }),
  ),
  ...each("policies[0].refill", "range", [undefined, 0, 0.5], (refill) => withBucket({ refill })),
  ['policies[0].per: "second"', withBucket({ per: "second" }), "range"],
  ["policies[0].limit: 1000", withBucket({ limit: 1000, refill: 1, per: "1d" }), "range"],
  [
    "policies[0].limit: 100001",
    { policies: [slidingWindowLog({ limit: 100_001, window: "1s" })] },
    "range",
    "segmented-window",
  ],
  ...each("policies[0].segments", "range", [0, 61], segmented),
  ["policies[0]: null", { policies: [null] }, "shape"],
  ...each("policies[0].algorithm", "shape", ["leaky"], (algorithm) => withPolicy({ algorithm })),
  ...each("policies[0].algorithm", "shape", ["fixed-window", null], (algorithm) => ({
    policies: [{ algorithm, limit: 1, window: "1s" }],
  })),
  ...each("policies[0].name", "shape", ["café", "a}b", 'a"b', "", 7], (name) =>
    withPolicy({ name }),
  ),
  [`policies[0].name: "${"n".repeat(56)}...`, withPolicy({ name: "n".repeat(65) }), "shape"],
  [
    'policies[1].name: "fixed-window-10-1s"',
    { policies: [policy, policy] },
    "duplicate",
    "policies[0]",
  ],
  ...each("policies[0].advertise", "shape", ["no", null, 0], (advertise) =>
    withPolicy({ advertise }),
  ),
  ...each("policies[0].onFailure.local.share", "range", SHARES, (share) =>
    withPolicy({ onFailure: { local: { share } } }),
  ),
  ...each("onFailure.local.share", "range", SHARES, (share) =>
    withOptions({ onFailure: { local: { share } } }),
  ),
  ...each(
    "policies[0].onFailure",
    "choice",
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
  ['onFailure: "no"', withOptions({ onFailure: "no" }), "choice"],
  ...each("policies[0].retryJitter", "range", JITTERS, (retryJitter) =>
    withPolicy({ retryJitter }),
  ),
  ...each("retryJitter", "range", JITTERS, (retryJitter) => withOptions({ retryJitter })),

  // Windows of a calendar.
  ...each(
    "policies[0].anchor",
    "range",
    [0, 32, 1.5, -1, 1e6, "15", "2026-02-30T00:00:00Z", null, {}],
    (anchor) => calendar({ anchor }),
  ),
  ["policies[0].anchor: 8", calendar({ window: "week", anchor: 8 }), "range"],
  ["policies[0].anchor: 1", calendar({ window: "day", anchor: 1 }), "shape"],
  ["policies[0].anchor: 30", calendar({ window: "hour", anchor: 30 }), "shape"],
  ...each("policies[0].timeZone", "unknown-name", ["Europe/Atlantis", "", 1, null], (timeZone) =>
    calendar({ timeZone }),
  ),
  ['policies[0].timeZone: "UTC"', calendar({ window: "1d", timeZone: "UTC" }), "conflict"],
  ["policies[0].anchor: 15", calendar({ window: "30d", anchor: 15 }), "conflict"],
  ...each("policies[0].window", "choice", ["year", "1 month"], (window) =>
    calendar({ window, timeZone: "UTC" }),
  ),
  ...each("policies[0].aligned", "conflict", [false, null], (aligned) => calendar({ aligned })),
  ['plans.gold.p.window: "30d"', planned(calendar({}), { window: "30d" }), "choice"],
  ...[{}, { limit: 5 }, { timeZone: "UTC", anchor: 1 }].map((numbers): Faulty => [
    'plans.gold.p.window: "30d"',
    planned(calendar({ anchor: 15, timeZone: "Asia/Tokyo" }), { window: "30d", ...numbers }),
    "choice",
  ]),
  [
    'plans.gold.p.window: "week"',
    planned(calendar({ anchor: 15 }), { limit: 5, window: "week" }),
    "conflict",
    "own anchor, 15, ",
  ],
  [
    'plans.gold.p.window: "month"',
    planned(calendar({ window: "30d" }), { window: "month" }),
    "range",
  ],

  // Slots.
  ["policies[0].limit: 100001", slots({ limit: 100_001 }), "range"],
  ["policies[0].limit: 0", slots({ limit: 0 }), "range"],
  ...each("policies[0].ttl", "range", ["999ms", "25h", 60], (ttl) => slots({ ttl })),
  ['plans.gold.p.ttl: "25h"', planned(slots({ name: "p" }), { ttl: "25h" }), "range"],
  ['policies[0].window: "(a string)"', slots({ window: "1m" }), "unknown-option"],
  ['policies[0].lease: "100ms"', slots({ lease: "100ms" }), "unsupported"],
  ['lease: "100ms"', { ...slots({}), lease: "100ms" }, "unsupported"],
  ["policies[0].shards: 2", slots({ shards: 2 }), "unsupported"],
  [
    'policies[1].counts: "denials"',
    { policies: [policy, concurrency({ limit: 10, counts: "denials" })] },
    "unsupported",
  ],
];
