/** The version that a change is based on: the published one, or else the one that is tried over it. */
export function newestOf({
  version,
  trial,
}: {
  readonly version: number;
  readonly trial?: { readonly version: number } | undefined;
}): number {
  return trial?.version ?? version;
}

/** On which terms a version is tried. */
export interface TrialTerms {
  /** The part of the clients that have it, from 1 to 99. */
  readonly percent: number;
  /** The share of its decisions that may be denials before it is taken back; `undefined` for any. */
  readonly maxDenied?: number;
}

/** A version that only a part of the clients has, beside the published one. */
export interface Trial extends TrialTerms {
  readonly version: number;
  /** In milliseconds since 1970. */
  readonly publishedAtMs: number;
}

/** Decisions about the clients of one side, and how many of them denied. */
export interface SideCounts {
  readonly decided: number;
  readonly denied: number;
}

/** The decisions under a version that is tried, and those under the published one at the same time. */
export interface TrialCounts {
  readonly tried: SideCounts;
  readonly others: SideCounts;
}

export const NO_COUNTS: TrialCounts = {
  tried: { decided: 0, denied: 0 },
  others: { decided: 0, denied: 0 },
};

/** Fewer decisions judge no version: one denied client would take it back. */
export const MIN_DECISIONS = 100;

/** Whether a version is to be taken back. `lua/live/count-trial.lua` says the same. */
export function exceedsBound({ decided, denied }: SideCounts, { maxDenied }: TrialTerms): boolean {
  return maxDenied !== undefined && decided >= MIN_DECISIONS && denied > maxDenied * decided;
}

/** The audit's words about a version that is taken back because of its denials. */
export function takenBackBy(by: string, { version }: Pick<Trial, "version">) {
  return { by, action: `take back ${version}` };
}
