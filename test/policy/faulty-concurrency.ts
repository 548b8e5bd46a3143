import { concurrency, type ConcurrencyOptions } from "../../src/index.ts";
import { type FaultyOptions, policy } from "./faulty-options.ts";

const slots = (changes: object) => ({
  policies: [concurrency({ limit: 10, ...changes } as ConcurrencyOptions)],
});
const HOLD_TIMES = /from "1s" to "24h", such as "60s"/;

/** Options that a policy with slots cannot have. */
export const FAULTY_CONCURRENCY: FaultyOptions[] = [
  [
    "more slots than a key holds",
    slots({ limit: 100_001 }),
    "policies[0].limit",
    "100001",
    /to 100000/,
  ],
  ["no slots", slots({ limit: 0 }), "policies[0].limit", "0", /whole number from 1/],
  [
    "a slot for less than a second",
    slots({ ttl: "999ms" }),
    "policies[0].ttl",
    '"999ms"',
    HOLD_TIMES,
  ],
  ["a slot for more than a day", slots({ ttl: "25h" }), "policies[0].ttl", '"25h"', HOLD_TIMES],
  ["a slot for a number", slots({ ttl: 60 }), "policies[0].ttl", "60", HOLD_TIMES],
  [
    "slots per window",
    slots({ window: "1m" }),
    "policies[0].window",
    '"(a string)"',
    /The options are/,
  ],
  [
    "a lease of slots",
    slots({ lease: "100ms" }),
    "policies[0].lease",
    '"100ms"',
    /^Leave it out: each hold/,
  ],
  [
    "a limiter's lease of slots",
    { ...slots({}), lease: "100ms" },
    "lease",
    '"100ms"',
    /^Leave it out: each hold takes a slot of its own/,
  ],
  [
    "slots on several keys",
    slots({ shards: 2 }),
    "policies[0].shards",
    "2",
    /^Leave it out: all slots/,
  ],
  [
    "a slot for each denial",
    { policies: [policy, concurrency({ limit: 10, counts: "denials" })] },
    "policies[1].counts",
    '"denials"',
    /^Leave it out: a slot belongs to a hold/,
  ],
  [
    "a plan whose slots are kept for too long",
    { ...slots({ name: "streams" }), plans: { gold: { streams: { ttl: "25h" } } } },
    "plans.gold.streams.ttl",
    '"25h"',
    HOLD_TIMES,
  ],
];
