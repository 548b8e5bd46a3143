import { fixedWindow, tokenBucket } from "../../src/index.ts";
import type { FaultyOptions } from "./faulty-options.ts";

const p = fixedWindow({ name: "p", limit: 5, window: "1m" });
const q = tokenBucket({ name: "q", limit: 5, refill: 5, per: "1s" });
const withPolicy = (changes: object) => ({ policies: [{ ...p, ...changes }] });
const withPlans = (plans: unknown) => ({ policies: [p, q], plans });

const DIMENSION = /^Use "\*" for everybody, or 1 to 32 ASCII letters, .*, the first a letter\.$/;
const MODE = /^Use "enforce", "shadow" or "soft"\.$/;
const COUNTS = /^Use "requests", "denials" or "failures"\.$/;
const PLANS =
  /^Give plans by their names, and in each the policies that differ: \{ gold: \{ rides: /;
const PLAN = /^Give policies by their names, and of each the numbers that differ: \{ rides: /;

/** Options of a limiter with faults of dimensions, modes, counted events, or plans. */
export const FAULTY_DIMENSIONS: FaultyOptions[] = [
  ...["", "a b", "**", "1ip", "ip:v4", "x".repeat(33), 5, null, ["ip"]].map((by): FaultyOptions => [
    `a dimension that reads ${JSON.stringify(by)}`,
    withPolicy({ by }),
    "policies[0].by",
    JSON.stringify(by),
    DIMENSION,
  ]),
  [
    "one policy with a dimension, and one without",
    { policies: [{ ...p, by: "ip" }, q] },
    "policies[1].by",
    "missing",
    /^Say what this policy counts by, as the others do: a dimension of the identity, or "\*"/,
  ],
  [
    "one policy without a dimension, before one for everybody",
    { policies: [p, { ...q, by: "*" }] },
    "policies[0].by",
    "missing",
    /^Say what this policy counts by, as the others do/,
  ],
  [
    "a partition of the options",
    { policies: [p], partition: ["ip"] },
    "partition",
    '["ip"]',
    /^Give each policy a dimension, such as by: "ip", and limit\(\) an identity with it/,
  ],
  [
    "a partition of a policy",
    withPolicy({ partition: "*" }),
    "policies[0].partition",
    '"*"',
    /^Give each policy a dimension, such as by: "ip"/,
  ],
  [
    "a word on identities that are missing",
    withPolicy({ onMissing: "skip" }),
    "policies[0].onMissing",
    '"skip"',
    /^Leave it out: .* a dimension that an identity does not have takes no part\.$/,
  ],
  [
    "a plan that only a request has",
    { policies: [p], plan: "header:x-plan" },
    "plan",
    '"header:x-plan"',
    /^Did you mean `plans`\? The options are policies, plans, /,
  ],
  ...["off", "", true, null].map((mode): FaultyOptions => [
    `a mode that reads ${JSON.stringify(mode)}`,
    withPolicy({ mode }),
    "policies[0].mode",
    JSON.stringify(mode),
    MODE,
  ]),
  ...["successes", 1, null].map((counts): FaultyOptions => [
    `a count of ${JSON.stringify(counts)}`,
    withPolicy({ counts }),
    "policies[0].counts",
    JSON.stringify(counts),
    COUNTS,
  ]),
  [
    "a count of denials alone",
    withPolicy({ counts: "denials" }),
    "policies[0].counts",
    '"denials"',
    /^Add a policy that counts requests: this one counts the denials of others\.$/,
  ],
  ...["shadow", "soft"].map((mode): FaultyOptions => [
    `a count of denials that is ${mode}`,
    { policies: [p, { ...q, counts: "denials", mode }] },
    "policies[1].counts",
    '"denials"',
    /^Leave out the mode: /,
  ]),
  ...[5, null, [], "gold"].map((plans): FaultyOptions => [
    `plans that read ${JSON.stringify(plans)}`,
    withPlans(plans),
    "plans",
    JSON.stringify(plans),
    PLANS,
  ]),
  ...[5, null, []].map((plan): FaultyOptions => [
    `a plan that reads ${JSON.stringify(plan)}`,
    withPlans({ gold: plan }),
    "plans.gold",
    JSON.stringify(plan),
    PLAN,
  ]),
  ...[5, null, [200]].map((numbers): FaultyOptions => [
    `numbers that read ${JSON.stringify(numbers)}`,
    withPlans({ gold: { q: numbers } }),
    "plans.gold.q",
    JSON.stringify(numbers),
    /^Give those that differ by their names: limit, refill, per\.$/,
  ]),
  [
    "plans in a Map, which has no names",
    withPlans(new Map([["gold", { p: { limit: 200 } }]])),
    "plans",
    "{}",
    PLANS,
  ],
  [
    "a plan with a name that no header can be relied on to carry",
    withPlans({ "a b": { p: { limit: 1 } } }),
    "plans.a b",
    '"a b"',
    /^Use 1 to 64 ASCII letters/,
  ],
  [
    "a plan of a policy that does not exist",
    withPlans({ gold: { rides: { limit: 1 } } }),
    "plans.gold.rides",
    '{"limit":1}',
    /^Use the name of a policy: p, q\.$/,
  ],
  [
    "a plan of a policy that is misspelt",
    { policies: [{ ...p, name: "rides" }], plans: { gold: { ride: { limit: 1 } } } },
    "plans.gold.ride",
    '{"limit":1}',
    /^Did you mean `rides`\? Use the name of a policy: rides\.$/,
  ],
  [
    "a plan with a limit of zero",
    withPlans({ gold: { p: { limit: 0 } } }),
    "plans.gold.p.limit",
    "0",
    /^Give a whole number from 1/,
  ],
  [
    "a plan with a window that is none",
    withPlans({ gold: { p: { window: "1y" } } }),
    "plans.gold.p.window",
    '"1y"',
    /^Give a time with its unit/,
  ],
  [
    "a plan with a number that is misspelt",
    withPlans({ gold: { p: { limt: 7 } } }),
    "plans.gold.p.limt",
    "7",
    /^Did you mean `limit`\? The options are limit, window, aligned, and nothing else\.$/,
  ],
  [
    "a plan with a number of another algorithm",
    withPlans({ gold: { p: { refill: 7 } } }),
    "plans.gold.p.refill",
    "7",
    /^The options are limit, window, aligned, and nothing else\.$/,
  ],
  [
    "a plan that changes more than numbers",
    withPlans({ gold: { p: { mode: "soft" } } }),
    "plans.gold.p.mode",
    '"(a string)"',
    /^The options are limit, window, aligned, and nothing else\.$/,
  ],
  [
    "a plan whose bucket takes years to refill",
    withPlans({ gold: { q: { limit: 1_000_000, refill: 1, per: "1h" } } }),
    "plans.gold.q.limit",
    "1000000",
    /more than 366 days to refill/,
  ],
];
