import { atMost, type Figure, type Target } from "../figure.ts";
import {
  ADDED_P50,
  ADDED_P99,
  BOUND,
  BURST,
  CALLS,
  EXCESS,
  figureName,
  loadName,
  USUAL_MS,
  WRONGLY_DENIED,
} from "./names.ts";
import { AHEAD, BARE, OTHERS } from "./names.ts";
import { excessPercent, type Outcome } from "./outcome.ts";
import { BUSY, identityOf, loadOf } from "./workload.ts";

/** By way. */
export type Outcomes = ReadonlyMap<string, Outcome>;

interface Subject {
  /** The end of the figures' names. */
  readonly name: string;
  readonly unit: string;
  readonly valueOf: (outcome: Outcome) => number;
  readonly target?: Target;
}

const NO_WAIT_MS = 0.1;
const EXCESS_PERCENT = 1;

export function figuresOf(roundTripMs: number, outcomes: Outcomes, isolates: number): Figure[] {
  const named = (end: string) => figureName(roundTripMs, end);
  const isAsked = roundTripMs === USUAL_MS;
  const asked = (target: Target) => (isAsked ? { target } : {});
  // A call takes longer than its way, on a busy machine more so: by as much as the plain limiter adds, which makes one each time.
  const callMs = outcomes.get("plain")!.addedP99Ms;
  const subjects: readonly Subject[] = [
    {
      name: ADDED_P50,
      unit: "ms",
      valueOf: ({ addedP50Ms }) => addedP50Ms,
      ...asked(atMost(NO_WAIT_MS, "tidegate")),
    },
    {
      name: ADDED_P99,
      unit: "ms",
      valueOf: ({ addedP99Ms }) => addedP99Ms,
      ...asked(atMost(callMs, "tidegate")),
    },
    { name: CALLS, unit: "calls", valueOf: ({ calls }) => calls },
    {
      name: EXCESS,
      unit: "%",
      valueOf: (outcome) => outcome.excessPercent,
      ...asked(atMost(EXCESS_PERCENT, "tidegate")),
    },
    {
      name: BURST,
      unit: "units",
      valueOf: ({ burst }) => burst,
      target: atMost(AHEAD.bound(isolates), "tidegate"),
    },
    {
      name: WRONGLY_DENIED,
      unit: "requests",
      valueOf: ({ wronglyDenied }) => wronglyDenied,
      target: atMost(0, "tidegate"),
    },
    ...(isAsked ? Array.from({ length: BUSY }, (_, i) => loadSubject(i + 1)) : []),
  ];
  return [
    ...subjects.flatMap((subject) => compared(named(subject.name), subject, outcomes)),
    ...bareFigures(roundTripMs, outcomes.get(AHEAD.way)!),
    ...OTHERS.flatMap(({ name, bound }) => {
      if (!bound) return [];
      const peer = { name, value: bound(isolates) };
      const tidegate = AHEAD.bound(isolates);
      return { name: named(BOUND), unit: "units", tidegate, peer, detail: true };
    }),
  ];
}

/** Beside requests that no limiter decided, in the same run. */
function bareFigures(roundTripMs: number, ahead: Outcome): readonly Figure[] {
  const beside = (end: string, tidegate: number, value: number): Figure => ({
    name: figureName(roundTripMs, end),
    unit: "ms",
    tidegate,
    peer: { name: BARE, value },
    detail: true,
  });
  return [
    beside(ADDED_P50, ahead.addedP50Ms, 0),
    beside(ADDED_P99, ahead.addedP99Ms, ahead.bareP99Ms),
  ];
}

/** Compares Tidegate with each other way; the first figure has the target. */
function compared(
  name: string,
  { unit, valueOf, target }: Subject,
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
  return [target ? { ...first!, target, detail: false } : first!, ...others];
}

/** The excess of the identity of one rank. */
function loadSubject(rank: number): Subject {
  return {
    name: loadName(loadOf(rank)),
    unit: "%",
    valueOf: ({ verdicts }) => excessPercent([verdicts.get(identityOf(rank))!]),
  };
}
