import type { LiveState } from "./live-state.ts";

/*
 * The lineage of a state names the revisions of the writes that made it, oldest first, each after a blank. It begins with a star
 * where earlier ones are left out. A store that was wiped begins a new lineage with its next write, so that an isolate finds its
 * own revision missing there, whatever the clocks say.
 */

/** The writes that a lineage names. An isolate that has missed more of them believes the store. */
const MAX_WRITES = 100;

/** Begins a lineage without its beginning. */
const CUT = "*";

/** The lineage after a write. */
export function extended(lineage: string, revision: number): string {
  return shortened(`${lineage} ${revision}`);
}

/** The lineage of what several states have come to together. */
export function joined(states: readonly Pick<LiveState, "lineage" | "revision">[]): string {
  const revisions = new Set(
    states.flatMap(({ lineage, revision }) => [...revisionsIn(lineage), revision]),
  );
  const isCut = states.some(({ lineage }) => isCutOff(lineage));
  const sorted = [...revisions].sort((one, other) => one - other);
  return shortened([isCut ? CUT : "", ...sorted].join(" "));
}

/** Whether a newer state came of writes after this one. One that does not say so is believed, unless it has lost a document. */
export function goesOnFrom(
  state: LiveState,
  held: Pick<LiveState, "revision" | "version">,
): boolean {
  if (!isTraced(state)) return state.version > 0 || held.version === 0;
  return hasPassed(state.lineage, held.revision);
}

/** Whether the lineage ends with the state: another program, or a hand, writes states without one. */
export function isTraced({ lineage, revision }: LiveState): boolean {
  return revisionsIn(lineage).at(-1) === revision;
}

/** Whether one of the writes made the state of this revision. */
export function hasPassed(lineage: string, revision: number): boolean {
  const revisions = revisionsIn(lineage);
  return revisions.includes(revision) || (isCutOff(lineage) && revision < revisions[0]!);
}

function isCutOff(lineage: string): boolean {
  return lineage.startsWith(CUT);
}

function revisionsIn(lineage: string): readonly number[] {
  return lineage.split(" ").slice(1).map(Number);
}

function shortened(lineage: string): string {
  const revisions = revisionsIn(lineage);
  if (revisions.length <= MAX_WRITES) return lineage;
  return `${CUT} ${revisions.slice(-MAX_WRITES).join(" ")}`;
}
