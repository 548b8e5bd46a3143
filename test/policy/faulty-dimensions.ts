import { fixedWindow, tokenBucket } from "../support/limiter/plain.ts";
import { each, type Faulty } from "./faulty.ts";

const p = fixedWindow({ name: "p", limit: 5, window: "1m" });
const q = tokenBucket({ name: "q", limit: 5, refill: 5, per: "1s" });
const withP = (changes: object) => ({ policies: [{ ...p, ...changes }] });
const withPlans = (plans: unknown) => ({ policies: [p, q], plans });
const planOf = (policies: object) => withPlans({ gold: policies });

/** Options of a limiter with faults of dimensions, modes, counted events, or plans. */
export const FAULTY_DIMENSIONS: Faulty[] = [
  ...each(
    "policies[0].by",
    "shape",
    ["", "a b", "**", "1ip", "ip:v4", "x".repeat(33), 5, null, ["ip"]],
    (by) => withP({ by }),
  ),
  ["policies[1].by: missing", { policies: [{ ...p, by: "ip" }, q] }, "missing"],
  ["policies[0].by: missing", { policies: [p, { ...q, by: "*" }] }, "missing"],
  // Of middleware, which reads requests.
  ['partition: "(an object)"', { policies: [p], partition: ["ip"] }, "unknown-option"],
  ['policies[0].partition: "(a string)"', withP({ partition: "*" }), "unknown-option"],
  ['policies[0].onMissing: "(a string)"', withP({ onMissing: "skip" }), "unknown-option"],
  ['plan: "header:x-plan"', { policies: [p], plan: "header:x-plan" }, "unknown-option", "`plans`"],
  ...each("policies[0].mode", "choice", ["off", "", true, null], (mode) => withP({ mode })),
  ...each("policies[0].counts", "choice", ["successes", 1, null], (counts) => withP({ counts })),
  ['policies[0].counts: "denials"', withP({ counts: "denials" }), "missing"],
  ...["shadow", "soft"].map((mode): Faulty => [
    'policies[1].counts: "denials"',
    { policies: [p, { ...q, counts: "denials", mode }] },
    "conflict",
  ]),

  ...each("plans", "shape", [5, null, [], "gold"], withPlans),
  ["plans: {}", withPlans(new Map([["gold", { p: { limit: 200 } }]])), "shape"],
  ...each("plans.gold", "shape", [5, null, []], planOf as (plan: unknown) => object),
  ...each("plans.gold.q", "shape", [5, null, [200]], (numbers) => planOf({ q: numbers })),
  ['plans.a b: "a b"', withPlans({ "a b": { p: { limit: 1 } } }), "shape"],
  ['plans.gold.rides: {"limit":1}', planOf({ rides: { limit: 1 } }), "unknown-name"],
  [
    'plans.gold.ride: {"limit":1}',
    { policies: [{ ...p, name: "rides" }], plans: { gold: { ride: { limit: 1 } } } },
    "unknown-option",
    "`rides`",
  ],
  ["plans.gold.p.limit: 0", planOf({ p: { limit: 0 } }), "range"],
  ['plans.gold.p.window: "1y"', planOf({ p: { window: "1y" } }), "range"],
  ["plans.gold.p.refill: 7", planOf({ p: { refill: 7 } }), "unknown-option"],
  ['plans.gold.p.mode: "(a string)"', planOf({ p: { mode: "soft" } }), "unknown-option"],
  ["plans.gold.p.limt: 7", planOf({ p: { limt: 7 } }), "unknown-option", "`limit`"],
  [
    "plans.gold.q.limit: 1000000",
    planOf({ q: { limit: 1_000_000, refill: 1, per: "1h" } }),
    "range",
  ],
  [
    "plans.gold.q.refill: 1",
    planOf({ q: { refill: 1, per: "366d" } }),
    "conflict",
    "At 1 per 31622400 s",
  ],
];
