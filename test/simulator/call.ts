import type { Operation, Row } from "../../src/algorithms/model.ts";
import type { Decision } from "../../src/decide/decision.ts";
import type { Hold, Settlement } from "../../src/decide/hold.ts";
import type { ReservingLimiter } from "../../src/decide/hold.ts";
import type { ErrorCode, StoreError } from "../../src/options/errors.ts";
import type { IsolateClock } from "./isolate-clock.ts";
import type { Random } from "./random.ts";

/** One isolate: a limiter of the product, with clocks of its own. */
export interface Isolate {
  readonly number: number;
  readonly clock: IsolateClock;
  readonly limiter: ReservingLimiter;
}

/** A request to an isolate. */
export interface Ask {
  readonly method: "limit" | "peek" | "charge" | "reset" | "reserve" | "settle";
  readonly identity: string;
  /** Of a settlement, the units really used. */
  readonly cost: number;
  /** When and at what cost a reservation is settled: never, if it does not say. */
  readonly end?: HoldEnd | undefined;
  /** The subject of a settlement. */
  readonly settles?: { readonly hold: Hold; readonly call: Call } | undefined;
}

export interface HoldEnd {
  /** Microseconds from its answer. */
  readonly after: number;
  readonly used: number;
}

/** One run of the script on the server. */
export interface Execution {
  /** Counts every run of the script. */
  readonly number: number;
  readonly operation: Operation | "reset" | "refund";
  /** One per key; none for a reset. */
  readonly costs: readonly number[];
  /** Virtual time. */
  readonly at: number;
  /** The server's clock, in microseconds. */
  readonly clock: number;
  readonly keys: readonly string[];
  /** One per key; none for a reset and a refund. */
  readonly rows: readonly Row[];
  /** The units that a refund gave, one per key, as the script replies it. */
  readonly given: readonly number[];
}

/** An isolate's answer: a decision, or a settlement, or (only to a reset) an error, or (to a confirmed reset) neither. */
export interface Answer {
  readonly settlement?: Settlement;
  readonly decision?: Decision;
  readonly error?: StoreError;
}

/** One call of a limiter's method, from the caller's side to the server's. */
export interface Call extends Ask {
  readonly number: number;
  readonly isolate: Isolate;
  /** Draws what happens to its messages. */
  readonly random: Random;
  /** Virtual time. */
  readonly calledAt: number;
  /**
   * When it has to have asked the store or be answered: at once, or when it has waited for another call's answer for
   * as long as it may. Once it has asked, when it has to be answered.
   */
  deadline: number;
  /** Commands sent so far. */
  commands: number;
  readonly executions: Execution[];
  /** The last response: a reply of the script, or the product's code for the failure. */
  received: "reply" | ErrorCode | undefined;
  answer: Answer | undefined;
}

/** Whether a call may be denied by the isolate's knowledge, or wait for another's answer. */
export function isDecided(method: Ask["method"]): boolean {
  return method === "limit" || method === "reserve";
}
