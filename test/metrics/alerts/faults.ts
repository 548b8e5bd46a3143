import { BEGINS, ENDS, type Minute, RULE } from "./world.ts";

export interface Fault {
  readonly name: string;
  readonly minute: (minute: number) => Minute;
  /** The first and the last minute of each alert that fires, by its name and its labels apart from the severity. */
  readonly fires: Readonly<Record<string, readonly [from: number, to: number]>>;
}

const always =
  (counts: Minute["counts"], gauges: Minute["gauges"] = {}): Fault["minute"] =>
  () => ({ counts, gauges });

/** @param minute of promtool's time, which begins with 1970 */
const triedSince = (minute: number): NonNullable<Minute["gauges"]> => ({
  trial: { version: 4, percent: 10, publishedAtMs: minute * 60_000 },
});

/** The last minute in which a rate over five minutes shows what was counted last. */
const SHOWN = ENDS + 3;

const RULES = `{rule="${RULE}"}`;

export const FAULTS: readonly Fault[] = [
  { name: "nothing", minute: always({}), fires: {} },
  {
    name: "a rule that denies half of its requests",
    minute: always({ [`rc${RULE}`]: 600 }),
    // A rate over five minutes needs one of them to show a fifth.
    fires: { [`TidegateDenials${RULES}`]: [BEGINS + 10, SHOWN] },
  },
  {
    name: "a rule that denies as many for five minutes",
    minute: (minute) => ({ counts: minute < BEGINS + 5 ? { [`rc${RULE}`]: 600 } : {} }),
    fires: {},
  },
  {
    name: "a rule that denies one request in seven",
    minute: always({ [`rc${RULE}`]: 100 }),
    fires: {},
  },
  {
    name: "a rule that denies one request in two seconds, which are half of its requests",
    minute: always({ [`ra${RULE}`]: 30, [`rc${RULE}`]: 30 }),
    fires: {},
  },
  {
    name: "a Redis that answers every other request too late",
    minute: always({ [`ra${RULE}`]: 300, [`rb${RULE}`]: 300, ea: 300 }),
    // The first minute has no rate of its own: the series begins with it.
    fires: { 'TidegateWithoutStore{outcome="allowed"}': [BEGINS + 3, SHOWN] },
  },
  {
    name: "a Redis that is gone, for policies that fail open",
    minute: always({ [`rn${RULE}`]: 600, eb: 600 }),
    fires: { 'TidegateWithoutStore{outcome="allowed"}': [BEGINS + 3, SHOWN] },
  },
  {
    name: "a Redis that is gone, for policies that fail closed",
    minute: always({ [`rf${RULE}`]: 60, eb: 60 }),
    fires: { 'TidegateWithoutStore{outcome="denied"}': [BEGINS + 3, SHOWN] },
  },
  {
    name: "a Redis that answers neither gateways nor scrapes; all that they counted is written when it is back",
    minute(minute) {
      if (minute < ENDS - 2) return { counts: {}, isUnread: true };
      return { counts: minute < ENDS - 1 ? {} : { [`rb${RULE}`]: 12_000, eb: 100 } };
    },
    fires: {
      TidegateNotScraped: [BEGINS + 2, ENDS - 3],
      'TidegateWithoutStore{outcome="decided"}': [ENDS + 1, SHOWN],
    },
  },
  {
    name: "a scrape that fails for a minute",
    minute: (minute) => ({ counts: {}, isUnread: minute === BEGINS }),
    fires: {},
  },
  {
    name: "an isolate that does not ask Redis",
    minute: always({}, { isBreakerOpen: true }),
    fires: { TidegateBreakerOpen: [BEGINS + 2, ENDS - 1] },
  },
  {
    name: "isolates that do not ask Redis, of which none is scraped",
    minute: always({ [`rb${RULE}`]: 100, ef: 100 }),
    fires: {
      TidegateBreakerOpen: [BEGINS + 2, SHOWN],
      'TidegateWithoutStore{outcome="allowed"}': [BEGINS + 3, SHOWN],
    },
  },
  {
    name: "a regional Redis that gives no answer",
    minute: always({ ha: 600, hb: 600, he: 600 }),
    // The counts are there from the start, as 0: the first minute has a rate.
    fires: { TidegateRegionGone: [BEGINS + 2, SHOWN] },
  },
  {
    name: "regions that wait for home",
    minute: always({ ha: 600, hb: 600, hc: 60, hd: 6 }),
    fires: {},
  },
  {
    name: "an origin that answers nobody",
    minute: always({ ga: 600, gb: 60 }),
    fires: {},
  },
  {
    name: "rules in force that are not the published ones",
    minute: always({}, { isPublished: false }),
    fires: { TidegateRulesNotInForce: [BEGINS + 2, ENDS - 1] },
  },
  {
    name: "a control store that lost live rules, which a gateway put back",
    minute: always({}, { isRestored: true }),
    fires: { TidegateRulesLost: [BEGINS, ENDS - 1] },
  },
  {
    name: "a version that is tried on a part of the clients since an hour",
    minute: () => ({ counts: { daa: 66, dab: 6, dba: 540, dbb: 54 }, gauges: triedSince(BEGINS) }),
    fires: {},
  },
  {
    name: "a version that was taken back because of its denials",
    minute: (minute) => ({
      counts: minute === BEGINS + 5 ? { daa: 50, dab: 50, b: 1 } : {},
      gauges: minute < BEGINS + 5 ? triedSince(BEGINS) : {},
    }),
    fires: { TidegateTrialTakenBack: [BEGINS + 5, BEGINS + 64] },
  },
  {
    name: "a version that is tried for longer than a day",
    minute: always({}, triedSince(BEGINS + 20 - 24 * 60)),
    fires: { 'TidegateTrialStands{version="4"}': [BEGINS + 21, ENDS - 1] },
  },
  {
    name: "a Redis that takes 0.25 to 1 s for one decision in ten",
    minute: always({ sb: 600, si: 60 }),
    fires: { TidegateStoreSlow: [BEGINS + 10, SHOWN] },
  },
  {
    name: "a Redis that takes 50 to 100 ms for every decision",
    minute: always({ sb: 0, sg: 600 }),
    fires: {},
  },
  {
    name: "clients of whom most are near their limit",
    minute: always({ uarides: 100, udrides: 560 }),
    // After 12 of 30 minutes, more than half of the decisions are near; after 30 more it fires, until 12 are left.
    fires: { 'TidegateNearLimit{policy="rides"}': [BEGINS + 42, ENDS + 16] },
  },
  {
    name: "counts that were given up",
    minute: always({ l: 1 }),
    fires: { TidegateCountsLost: [BEGINS, ENDS + 58] },
  },
  {
    name: "counts that had no room",
    minute: always({ o: 1 }),
    fires: { TidegateCountsLost: [BEGINS, ENDS + 58] },
  },
];
