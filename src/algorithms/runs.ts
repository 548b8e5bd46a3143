export interface SlidingWindowLogParameters extends Readonly<Record<string, number>> {
  readonly windowUs: number;
  /** The script takes two parameters of every algorithm; a log needs one. */
  readonly unused: number;
}

/** The state of a sliding window log. */
export interface SlidingWindowLogState {
  /**
   * Runs of units, oldest first, each as RUN numbers in one flat list: the moment from which they count, in microseconds, how
   * many they are, and the moment at which the first of them was taken. The two moments are the same unless runs were merged:
   * then a refund finds the run that has the units of a moment. The script has an entry for each.
   */
  readonly runs: readonly number[];
}

/** How many numbers a run takes in the list. */
export const RUN = 3;
