import { fixedWindow, tokenBucket } from "../support/limiter/plain.ts";
import { each, type Faulty } from "./faulty.ts";

const p = fixedWindow({ name: "p", limit: 5, window: "1m" });
const q = tokenBucket({ name: "q", limit: 5, refill: 5, per: "1s" });
const withP = (changes: object) => ({ policies: [{ ...p, ...changes }] });
const withPlans = (plans: unknown) => ({ policies: [p, q], plans });
const planOf = (policies: object) => withPlans({ gold: policies });

const DIMENSION = /^Use "\*" for everybody, or 1 to 32 ASCII letters, .*, the first a letter\.$/;
const NO_DIMENSION =
  /^Say what this policy counts by, as the others do: a dimension of the identity, or "\*"/;
const NO_REQUEST = /^The options are .*, and nothing else\.$/;
const MODE = /^Use "enforce", "shadow" or "soft"\.$/;
const COUNTS = /^Use "requests", "denials" or "failures"\.$/;
const PLANS =
  /^Give plans by their names, and in each the policies that differ: \{ gold: \{ rides: /;
const PLAN = /^Give policies by their names, and of each the numbers that differ: \{ rides: /;
const NUMBERS = /^Give those that differ by their names: limit, refill, per\.$/;
const OPTIONS = /^The options are limit, window, aligned, and nothing else\.$/;

/** Options of a limiter with faults of dimensions, modes, counted events, or plans. */
export const FAULTY_DIMENSIONS: Faulty[] = [
  ...each(
    "policies[0].by",
    DIMENSION,
    ["", "a b", "**", "1ip", "ip:v4", "x".repeat(33), 5, null, ["ip"]],
    (by) => withP({ by }),
  ),
  ["policies[1].by: missing", { policies: [{ ...p, by: "ip" }, q] }, NO_DIMENSION],
  ["policies[0].by: missing", { policies: [p, { ...q, by: "*" }] }, NO_DIMENSION],
  // Of middleware, which reads requests.
  ['partition: "(an object)"', { policies: [p], partition: ["ip"] }, NO_REQUEST],
  ['policies[0].partition: "(a string)"', withP({ partition: "*" }), NO_REQUEST],
  ['policies[0].onMissing: "(a string)"', withP({ onMissing: "skip" }), NO_REQUEST],
  [
    'plan: "header:x-plan"',
    { policies: [p], plan: "header:x-plan" },
    /^Did you mean `plans`\? The options are policies, plans, /,
  ],
  ...each("policies[0].mode", MODE, ["off", "", true, null], (mode) => withP({ mode })),
  ...each("policies[0].counts", COUNTS, ["successes", 1, null], (counts) => withP({ counts })),
  [
    'policies[0].counts: "denials"',
    withP({ counts: "denials" }),
    /^Add a policy that counts requests: this one counts the denials of others\.$/,
  ],
  ...["shadow", "soft"].map((mode): Faulty => [
    'policies[1].counts: "denials"',
    { policies: [p, { ...q, counts: "denials", mode }] },
    /^Leave out the mode: /,
  ]),

  ...each("plans", PLANS, [5, null, [], "gold"], withPlans),
  ["plans: {}", withPlans(new Map([["gold", { p: { limit: 200 } }]])), PLANS],
  ...each("plans.gold", PLAN, [5, null, []], planOf as (plan: unknown) => object),
  ...each("plans.gold.q", NUMBERS, [5, null, [200]], (numbers) => planOf({ q: numbers })),
  ['plans.a b: "a b"', withPlans({ "a b": { p: { limit: 1 } } }), /^Use 1 to 64 ASCII letters/],
  [
    'plans.gold.rides: {"limit":1}',
    planOf({ rides: { limit: 1 } }),
    /^Use the name of a policy: p, q\.$/,
  ],
  [
    'plans.gold.ride: {"limit":1}',
    { policies: [{ ...p, name: "rides" }], plans: { gold: { ride: { limit: 1 } } } },
    /^Did you mean `rides`\? Use the name of a policy: rides\.$/,
  ],
  ["plans.gold.p.limit: 0", planOf({ p: { limit: 0 } }), /^Give a whole number from 1/],
  ['plans.gold.p.window: "1y"', planOf({ p: { window: "1y" } }), /^Give a time with its unit/],
  ["plans.gold.p.refill: 7", planOf({ p: { refill: 7 } }), OPTIONS],
  ['plans.gold.p.mode: "(a string)"', planOf({ p: { mode: "soft" } }), OPTIONS],
  [
    "plans.gold.p.limt: 7",
    planOf({ p: { limt: 7 } }),
    /^Did you mean `limit`\? The options are limit, window, aligned, and nothing else\.$/,
  ],
  [
    "plans.gold.q.limit: 1000000",
    planOf({ q: { limit: 1_000_000, refill: 1, per: "1h" } }),
    /more than 366 days to refill/,
  ],
  [
    "plans.gold.q.refill: 1",
    planOf({ q: { refill: 1, per: "366d" } }),
    /^Give limit, too, or another value here: the policy's own limit, \d+, does not fit\. At 1 per 31622400 s/,
  ],
];
