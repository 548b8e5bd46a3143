import { atMost, type Figure } from "../figure.ts";
import { excessPercent, type Outcome } from "./judge.ts";
import * as names from "./names.ts";
import { AHEAD, BARE, figureName, OTHERS } from "./names.ts";
import { BUSY, identityOf, loadOf } from "./replay.ts";

/** By way. */
export type Outcomes = ReadonlyMap<string, Outcome>;

interface Subject {
  /** The end of the figures' names. */
  readonly name: string;
  readonly unit: string;
  readonly valueOf: (outcome: Outcome) => number;
  /** The most of Tidegate's. */
  readonly most?: number | undefined;
}

const NO_WAIT_MS = 0.1;
const EXCESS_PERCENT = 1;

export function figuresOf(roundTripMs: number, outcomes: Outcomes, isolates: number): Figure[] {
  const named = (end: string) => figureName(roundTripMs, end);
  const isUsual = roundTripMs === names.USUAL_MS;
  const asked = (most: number) => (isUsual ? most : undefined);
  const ahead = outcomes.get(AHEAD.way)!;
  // A call takes longer than its way, on a busy machine more so: by as much as the plain limiter adds, which makes one each time.
  const callMs = outcomes.get("plain")!.addedP99Ms;
  const subjects: readonly Subject[] = [
    { name: names.ADDED_P50, unit: "ms", valueOf: (o) => o.addedP50Ms, most: asked(NO_WAIT_MS) },
    { name: names.ADDED_P99, unit: "ms", valueOf: (o) => o.addedP99Ms, most: asked(callMs) },
    { name: names.CALLS, unit: "calls", valueOf: (o) => o.calls },
    { name: names.EXCESS, unit: "%", valueOf: (o) => o.excessPercent, most: asked(EXCESS_PERCENT) },
    { name: names.BURST, unit: "units", valueOf: (o) => o.burst, most: AHEAD.bound(isolates) },
    { name: names.WRONGLY_DENIED, unit: "requests", valueOf: (o) => o.wronglyDenied, most: 0 },
    ...(isUsual ? Array.from({ length: BUSY }, (_, i) => loadSubject(i + 1)) : []),
  ];
  /** Beside requests that no limiter decided, in the same run. */
  const beside = (end: string, tidegate: number, value: number): Figure => ({
    name: named(end),
    unit: "ms",
    tidegate,
    peer: { name: BARE, value },
    detail: true,
  });
  return [
    ...subjects.flatMap((subject) => compared(named(subject.name), subject, outcomes)),
    beside(names.ADDED_P50, ahead.addedP50Ms, 0),
    beside(names.ADDED_P99, ahead.addedP99Ms, ahead.bareP99Ms),
    ...OTHERS.flatMap(({ name, bound }) => {
      if (!bound) return [];
      const peer = { name, value: bound(isolates) };
      const tidegate = AHEAD.bound(isolates);
      return { name: named(names.BOUND), unit: "units", tidegate, peer, detail: true };
    }),
  ];
}

/** Compares Tidegate with each other way; the first figure has the target. */
function compared(
  name: string,
  { unit, valueOf, most }: Subject,
  outcomes: Outcomes,
): readonly Figure[] {
  const tidegate = valueOf(outcomes.get(AHEAD.way)!);
  const [first, ...others] = OTHERS.map(({ way, name: peer }): Figure => ({
    name,
    unit,
    tidegate,
    peer: { name: peer, value: valueOf(outcomes.get(way)!) },
    detail: true,
  }));
  if (most === undefined) return [first!, ...others];
  return [{ ...first!, target: atMost(most, "tidegate"), detail: false }, ...others];
}

/** The excess of the identity of one rank. */
function loadSubject(rank: number): Subject {
  return {
    name: names.loadName(loadOf(rank)),
    unit: "%",
    valueOf: ({ verdicts }) => excessPercent([verdicts.get(identityOf(rank))!]),
  };
}
