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
   * then a refund finds the run that has the units of a moment. The script has one slot per unit instead, in a ring.
   */
  readonly runs: readonly number[];
  /** How many units were pushed out. They count as long as the oldest unit does, which was taken after them. */
  readonly pushed: number;
  /** The longest window of the settings that are alive, in microseconds. */
  readonly longestUs: number;
  /** The largest limit since the log was empty. */
  readonly largest: number;
  /** The longest window of the settings that have asked since the last renewal, in microseconds. */
  readonly askingUs: number;
  /** When the next renewal is due, from which on only those are alive, in milliseconds. */
  readonly renewalMs: number;
}

/** How many numbers a run takes in the list. */
export const RUN = 3;
