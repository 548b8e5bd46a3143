import type { ScriptCall } from "./capture.ts";

export interface Quota {
  readonly limit: number;
  /** Milliseconds; for a token bucket the time in which it refills. */
  readonly window: number;
}

/** A limiter that is measured by the commands that it sends to Redis. */
export interface Subject {
  readonly name: string;
  /** A request of this cost. */
  call(identity: string, cost: number, quota: Quota): Promise<ScriptCall>;
  /** Its script only counts, the same for every request. */
  readonly decidesInClient?: boolean;
  /** Whether this reply lets the request pass. */
  admits(reply: unknown, quota: Quota): boolean | Promise<boolean>;
}
