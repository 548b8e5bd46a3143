import type { Slot } from "../../algorithms/model.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { LeaseRequest, RegionOrder, Reply, Store, TakenReply } from "../store.ts";
import type { Script, ScriptTemplate } from "./script.ts";

/** Runs a script whose reply has this many numbers. */
export type RunScript = (
  script: Script,
  keys: readonly string[],
  args: string[],
  length: number,
) => Promise<readonly number[]>;

/** The scripts of a store. A bundle contains the given ones, and the one that decides a single policy. */
export interface MoreScripts {
  /** Decides a single policy in place of the one that limiters have. */
  readonly one?: ScriptTemplate;
  /** Decides several policies, and resets. */
  readonly decide?: ScriptTemplate;
  readonly lease?: LeaseCalls;
  readonly take?: TakeCalls;
  readonly holds?: HoldCalls;
}

/** The call that takes a lease. */
export interface LeaseCalls {
  readonly script: ScriptTemplate;
  /** @param args those of a decision */
  take(
    run: RunScript,
    script: Script,
    keys: readonly string[],
    args: string[],
    policies: readonly CompiledPolicy[],
    roles: readonly string[],
    request?: LeaseRequest,
  ): Promise<Reply>;
}

/** The call of a region at its home. */
export interface TakeCalls {
  readonly script: ScriptTemplate;
  /** @param args those of a decision */
  take(
    run: RunScript,
    script: Script,
    keys: readonly string[],
    args: string[],
    orders: readonly RegionOrder[],
  ): Promise<TakenReply>;
}

/** The calls that give units back, and change the slots of holds. */
export interface HoldCalls {
  /** The arguments after the policies in a decision with a slot. */
  argumentsFor(
    policies: readonly CompiledPolicy[],
    slot: Slot,
    roles: readonly string[],
  ): readonly string[];
  open(run: RunScript): Required<Pick<Store, "refund" | "extend">>;
}
