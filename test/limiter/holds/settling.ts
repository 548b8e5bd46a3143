import type { Hold, Settlement } from "../../../src/decide/hold.ts";
import type { Call } from "./witness.ts";

/** A hold of a story, and the effects that its settlement must have. */
export interface Told {
  readonly hold: Hold;
  /** By the names of policies; a slot is a unit. */
  readonly reserved: Readonly<Record<string, number>>;
  readonly slotted: ReadonlySet<string>;
  readonly takenAtUs: number;
  /** The actual cost, once it is reported. */
  actual?: Readonly<Record<string, number>>;
  /** The calls that its settlements made. */
  readonly calls: Call[];
}

const KINDS = ["refund", "charge"] as const;

/** The units that the calls of one kind have to ask, by the names of policies. */
function dueOf({ reserved, slotted, actual }: Told, kind: (typeof KINDS)[number]) {
  const due: Record<string, number> = {};
  for (const [name, units] of Object.entries(reserved)) {
    const more = slotted.has(name) ? 0 : actual![name]! - units;
    const back = slotted.has(name) ? units : Math.max(0, -more);
    due[name] = kind === "refund" ? back : Math.max(0, more);
  }
  return due;
}

/**
 * Says what is wrong with the calls of settlements: each repeats the first one, once; it is sent again if and only if it surely
 * did not run.
 *
 * @param made the calls of these settlements
 * @param times how often it was settled now
 */
export function wrongCalls(told: Told, made: readonly Call[], times: number): string[] {
  const wrong: string[] = [];
  for (const kind of KINDS) {
    const due = dueOf(told, kind);
    const isDue = told.hold.allowed && Object.values(due).some((units) => units > 0);
    const earlier = told.calls.filter((call) => call.kind === kind);
    const now = made.filter((call) => call.kind === kind);
    const isOpen = isDue && (earlier.at(-1)?.fate ?? "suspended") === "suspended";
    const sent = now.findIndex(({ fate }) => fate !== "suspended");
    const expected = isOpen ? (sent === -1 ? times : sent + 1) : 0;
    if (now.length !== expected) wrong.push(`${now.length} calls of ${kind}, not ${expected}`);
    for (const { asked } of now) {
      const isRight = Object.entries(due).every(([name, units]) => (asked[name] ?? 0) === units);
      if (!isRight) wrong.push(`${kind} of ${JSON.stringify(asked)}, not ${JSON.stringify(due)}`);
    }
  }
  return wrong;
}

/** Says what is wrong with a settlement's report, by all calls that were made for it. */
export function wrongSettlement(
  told: Told,
  { status, returned, charged, error }: Settlement,
): string[] {
  const wrong: string[] = [];
  const last = KINDS.flatMap((kind) => told.calls.findLast((call) => call.kind === kind) ?? []);
  const isUnknown = last.some(({ fate }) => fate === "lost" || fate === "unanswered");
  const unsent = last.some(({ fate }) => fate === "suspended") ? "not-sent" : "settled";
  const expected = isUnknown ? "unknown" : unsent;
  if (status !== expected) wrong.push(`the status ${status}, not ${expected}`);
  if ((status === "settled") !== (error === undefined)) wrong.push(`the error ${String(error)}`);
  const sums = { refund: {}, charge: {} } as Record<string, Record<string, number>>;
  for (const { kind, fate, asked, given } of told.calls) {
    if (fate !== "answered") continue;
    for (const [name, units] of Object.entries(kind === "refund" ? given : asked)) {
      if (units > 0) sums[kind]![name] = (sums[kind]![name] ?? 0) + units;
    }
  }
  for (const [said, sum] of [
    [returned, sums["refund"]!],
    [charged, sums["charge"]!],
  ] as const) {
    if (!isEqual(said, sum)) wrong.push(`${JSON.stringify(said)}, not ${JSON.stringify(sum)}`);
  }
  return wrong;
}

function isEqual(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>) {
  const names = Object.keys({ ...one, ...other });
  return names.every((name) => one[name] === other[name]);
}
