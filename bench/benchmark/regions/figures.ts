import { quantile, sum } from "d3-array";

import { excessOf } from "../../../test/support/lease/excess.ts";
import { atLeast, atMost, type Figure, type Target } from "../figure.ts";
import * as names from "./names.ts";
import type { Decided, Outcome } from "./replay.ts";
import { HOME_MS, NEARBY_MS, type Scene } from "./scenes.ts";

/** The outcome of each way. */
export type Outcomes = ReadonlyMap<names.Way, Outcome>;

interface Subject {
  readonly end: string;
  readonly unit: string;
  readonly valueOf: (outcome: Outcome) => number;
  readonly target?: Target | undefined;
  /** Set if the other ways have no such figure. */
  readonly own?: true;
}

/** A quantile of the added times, in trips to the store nearby. */
const inTrips = (decided: readonly Decided[], share: number): number =>
  (quantile(decided, share, ({ tookMs }) => tookMs) ?? 0) / NEARBY_MS;

/** Whether a decision waited for home: no trip there and back is shorter. */
const waited = ({ region, tookMs }: Decided) => tookMs > 0.9 * HOME_MS[region]!;

export function figuresOf(scene: Scene, outcomes: Outcomes): Figure[] {
  const { kind, policy, name } = scene;
  const plain = outcomes.get("plain")!;
  const isHot = kind === "hot";
  const ifHot = (target: Target) => (isHot ? target : undefined);
  const ifMany = (target: Target) => (kind === "many" ? target : undefined);
  const subjects: readonly Subject[] = [
    { end: names.ADDED_P50, unit: "trips", valueOf: (o) => inTrips(o.decided, 0.5) },
    {
      end: names.ADDED_P99,
      unit: "trips",
      valueOf: (o) => inTrips(o.decided, 0.99),
      target:
        ifHot(atMost(1.2, "tidegate")) ?? ifMany(atMost(inTrips(plain.decided, 0.99), "tidegate")),
    },
    {
      end: names.WAITED,
      unit: "%",
      valueOf: ({ decided }) => (100 * decided.filter(waited).length) / decided.length,
      target: ifMany(atMost(3, "tidegate")),
    },
    {
      end: names.HOME_CALLS,
      unit: "calls",
      valueOf: (o) => o.homeCalls,
      target: ifHot(atMost(0.03, "tidegate")),
    },
    { end: names.REGION_CALLS, unit: "calls", valueOf: (o) => o.regionCalls, own: true },
    { end: names.COMMANDS, unit: "commands", valueOf: (o) => o.commands },
    {
      end: names.USABLE,
      unit: "%",
      valueOf: ({ admitted }) => (100 * admitted) / plain.admitted,
      target:
        ifHot(atLeast(98, "tidegate")) ??
        (kind === "trailing" ? atLeast(97, "tidegate") : undefined),
    },
    {
      end: names.EXCESS,
      unit: "units",
      valueOf: ({ admissions }) =>
        sum(admissions.values(), (list) => Math.max(0, excessOf(policy, list))),
      target: atMost(0, "tidegate"),
    },
    { end: names.FAIRNESS, unit: "", valueOf: fairness, own: true },
    ...(name === names.USUAL
      ? HOME_MS.map((homeMs, region) => ({
          end: names.byRegion(homeMs),
          unit: "ms",
          valueOf: ({ decided }: Outcome) =>
            NEARBY_MS *
            inTrips(
              decided.filter((each) => each.region === region),
              0.99,
            ),
        }))
      : []),
  ];
  return subjects.flatMap((subject) => compared(name, subject, outcomes));
}

/** Jain's index of the shares of their requests that regions got: 1 if they are alike, 1/5 if one region got all. */
function fairness({ decided }: Outcome): number {
  const shares = HOME_MS.map((_, region) => {
    const own = decided.filter((each) => each.region === region);
    return own.filter(({ allowed }) => allowed).length / Math.max(1, own.length);
  });
  const squares = sum(shares, (share) => share ** 2);
  return squares === 0 ? 1 : sum(shares) ** 2 / (shares.length * squares);
}

/** Compares the region with each other way; the first figure has the target. */
function compared(
  scene: string,
  { end, unit, valueOf, target, own }: Subject,
  outcomes: Outcomes,
): readonly Figure[] {
  const figure = {
    name: names.figureName(scene, end),
    unit,
    tidegate: valueOf(outcomes.get(names.REGION)!),
  };
  if (own) return [figure];
  const others = names.OTHERS.filter((way) => outcomes.has(way));
  return others.map((way, i) =>
    Object.assign({}, figure, {
      peer: { name: way, value: valueOf(outcomes.get(way)!) },
      ...(i === 0 ? target && { target } : { detail: true }),
    }),
  );
}
