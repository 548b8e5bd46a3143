import type { Reply } from "../store/store.ts";

/** An answer of the store, and when it was asked for and received, in milliseconds of the isolate's clock. */
export interface Answer {
  readonly reply: Reply;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  readonly shared: Shared;
}

/** Of the groups of a request, those whose denials it looks up in a shared cache, and publishes there. */
export type Shared = readonly number[];
