import type { Duration } from "../../src/options/duration.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { EVERY_ALGORITHM } from "./algorithms/all.ts";

/** A policy of each algorithm that gives `limit` units per `window`. */
export function everyPolicy(limit: number, window: Duration): Policy[] {
  return EVERY_ALGORITHM.map(({ of }) => of(limit, window));
}
