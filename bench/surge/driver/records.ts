import type { Endpoint, Intention } from "../people/person.ts";

/** One request, as its sender saw it. Times are milliseconds of the shared clock. */
export interface Asked {
  /** Index of the person in the population. */
  readonly person: number;
  readonly endpoint: Endpoint;
  readonly intention: Intention;
  /** When the person meant to send it; latency counts from here, so that a late driver does not flatter it. */
  readonly meantMs: number;
  readonly sentMs: number;
  readonly endMs: number;
  /** 0: no answer. */
  readonly status: number;
  /** Whether Redis had a part in a denial. */
  readonly askedRedis: boolean;
  /** Whether the limiter says that Redis had no part in its decision, because it did not answer. */
  readonly withoutRedis: boolean;
  /** Whether it was the first success of this wish of the person, in time. */
  readonly wanted: boolean;
}

/** The driver's reports while it runs. */
export interface Progress {
  readonly sent: number;
  readonly allowed: number;
  readonly denied: number;
  readonly failed: number;
  readonly open: number;
}
