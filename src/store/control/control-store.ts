import type { LiveState } from "./live-state.ts";
import type { Restored } from "./put-back.ts";
import type { TrialCounts } from "./trial.ts";

/** A version that was published. */
export interface KeptVersion {
  readonly version: number;
  readonly document: unknown;
}

/** Reads the live rules; returns `known` itself if they have not changed, and of an older state only the revision. */
export type ReadState = (known: LiveState) => Promise<LiveState>;

/** Reads the kept versions that were not taken back, newest first, each on demand: together they have up to 45 MB. */
export type ReadHistory = () => AsyncIterable<KeptVersion>;

/**
 * How a store keeps its data: in an append-only file, in snapshots, not at all, or as its host promises. `unknown` where it does
 * not say.
 */
export type Persistence = "aof" | "rdb" | "none" | "managed" | "unknown";

/** The control data of a gateway as its isolates follow it. Every failure is a StoreError. */
export interface LiveStore {
  readonly read: ReadState;
  readonly readHistory: ReadHistory;
  /** Puts a state in the place of the one with this revision. Whether that was still there. */
  putBack(over: number, restored: Restored): Promise<boolean>;
  /**
   * Adds decisions to those of a version that is tried. The store takes the version back if too many of them are denials; returns
   * whether it did.
   */
  countTrial(version: number, counts: TrialCounts): Promise<boolean>;
  persistence(): Promise<Persistence>;
}
