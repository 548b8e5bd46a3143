import type { Operation, Slot } from "../../algorithms/model.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Reply } from "../store.ts";

/** A part of a decision: policies whose keys have one hash slot. */
export interface Part {
  /** The positions of its policies in the whole decision. */
  readonly indices: readonly number[];
  readonly keys: readonly string[];
  readonly costs: readonly number[];
  readonly policies: readonly CompiledPolicy[];
  /** Only for holds: the slot to take of concurrency policies. */
  readonly slot: Slot | undefined;
}

/** A part, its request, and its master's answer. */
export interface AnsweredPart extends Part {
  readonly operation: Operation;
  readonly reply: Reply;
  /** The indices of its policies that deny. */
  readonly denying: readonly number[];
}
