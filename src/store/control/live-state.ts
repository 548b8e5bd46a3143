import type { Trial } from "./trial.ts";

/** The live rules in the control store, as one call reads them. */
export interface LiveState {
  /** The time of the last write of anything, by the store's clock, in microseconds. It only grows. */
  readonly revision: number;
  /** The revisions of the writes that led to it, as `lineage.ts` reads them; empty where nothing says so. */
  readonly lineage: string;
  /** When a gateway put back what the store had lost, in milliseconds since 1970; 0 after the next publication. */
  readonly lostAtMs: number;
  /** The version of the published document, from 1; 0 without one. */
  readonly version: number;
  /** When it was published, in milliseconds since 1970. */
  readonly publishedAtMs: number;
  /** The published document as JSON; `undefined` if there is none. */
  readonly document: string | undefined;
  /** The version that only a part of the clients has, with its document as JSON; `undefined` if there is none. */
  readonly trial?: (Trial & { readonly document: string }) | undefined;
  /** Entries that were made by single calls, each as JSON, by `deny:id`, `allow:id` or `override:id`. */
  readonly entries: Readonly<Record<string, string>>;
  /** A message about values in the store that Tidegate does not write, with the mend; `undefined` if there are none. */
  readonly misread?: string | undefined;
}

/** The effect of an entry that a single call made: the list that it belongs to, or other numbers. */
export type EntryKind = "allow" | "deny" | "override";

/** No rules were ever written. */
export const NO_STATE: LiveState = {
  revision: 0,
  lineage: "",
  lostAtMs: 0,
  version: 0,
  publishedAtMs: 0,
  document: undefined,
  entries: {},
};
