import { LIMIT, THRESHOLD, UNSETTLED, UNSYNCHRONISED } from "./terms.ts";

/** One way to decide, as results name it. */
export interface Named {
  readonly way: string;
  readonly name: string;
  /** The most units that it admits above the limit; `undefined` if that grows with the traffic. */
  readonly bound?: (isolates: number) => number;
}

/** Tidegate's with which the others are compared. */
export const AHEAD: Required<Named> = {
  way: "optimistic",
  name: "optimistic",
  bound: (isolates) => UNSETTLED * isolates,
};

export const OTHERS: readonly Named[] = [
  { way: "plain", name: "plain", bound: () => 0 },
  { way: "leased", name: "leased", bound: () => 0 },
  { way: "upstash", name: "@upstash/ratelimit", bound: () => 0 },
  { way: "interval", name: "sync by interval" },
  {
    way: "threshold",
    name: "threshold",
    bound: (isolates) => THRESHOLD * LIMIT * isolates,
  },
  {
    way: "tokens",
    name: "unsynchronised tokens",
    bound: (isolates) => UNSYNCHRONISED * isolates,
  },
  { way: "own", name: "own bucket per isolate" },
];

/** An app that answers the same without a limiter. */
export const BARE = "a bare app";
