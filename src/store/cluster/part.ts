import type { Operation, Slot } from "../../algorithms/model.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Reply } from "../store.ts";

/** A part of a decision: policies whose keys have one hash slot. */
export interface Part {
  /** Where its policies stand in the whole decision. */
  readonly indices: readonly number[];
  readonly keys: readonly string[];
  readonly costs: readonly number[];
  readonly policies: readonly CompiledPolicy[];
  /** Of a hold: what it takes of concurrency policies. */
  readonly slot: Slot | undefined;
}

/** A part, what it was asked, and what its master answered. */
export interface AnsweredPart extends Part {
  readonly operation: Operation;
  readonly reply: Reply;
  /** The indices of its policies that deny. */
  readonly denying: readonly number[];
}
