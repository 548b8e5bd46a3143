/** How far a run is. */
export interface ProgressState {
  /** The share of the whole run that is done. */
  readonly share: number;
  readonly leftMs: number;
  readonly stage: string;
  /** The current step of the stage. */
  readonly note: string;
}

const LONGEST_BAR = 30;
const SHORTEST_BAR = 8;
const BRACKETS = 2;
const GAP = "  ";

/** One line that fits a terminal of this many columns: parts that do not fit are left out, the least important first. */
export function progressLine(
  { share, leftMs, stage, note }: ProgressState,
  columns: number,
): string {
  // A terminal wraps when the last column is taken.
  const room = columns - 1;
  const texts = [`${Math.floor(100 * share)} %`, `about ${timeOf(leftMs)} left`, stage, note];
  const fitting: string[] = [];
  for (const text of texts) {
    if (text === "") continue;
    if ([...fitting, text].join(GAP).length > room) break;
    fitting.push(text);
  }
  const text = fitting.join(GAP);
  const width = Math.min(LONGEST_BAR, room - text.length - GAP.length - BRACKETS);
  return width < SHORTEST_BAR ? text : `${bar(share, width)}${GAP}${text}`;
}

function bar(share: number, width: number): string {
  return `[${"=".repeat(Math.floor(share * width)).padEnd(width)}]`;
}

/** In two units at most: seconds don't matter in a wait of an hour. */
export function timeOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
