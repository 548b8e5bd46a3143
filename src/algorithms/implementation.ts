import type { Faults } from "../options/faults.ts";
import type { Algorithm, Policy } from "../policy/policy.ts";
import type { AlgorithmModel } from "./model.ts";

/** What a policy's durations come to. */
export interface Times {
  readonly windowMicroseconds: number;
  /** The algorithm's two parameters, as its Lua file names them. */
  readonly parameters: readonly [number, number];
}

/**
 * Everything in which one algorithm differs from the others. Policies carry it with them, so that a bundle holds the
 * algorithms that its code uses and no more.
 */
export interface Implementation {
  readonly name: Algorithm;
  /** What its policies hold besides algorithm, limit, name and onFailure. */
  readonly options: readonly string[];
  readonly maxLimit: number;
  /** Goes on where a fault names the largest limit. */
  readonly limitHint: string;
  /**
   * Ends its keys, so that two algorithms under one name are two counts: neither could read what the other has written. One
   * letter, because every key in Redis pays for it.
   */
  readonly code: string;
  /** How long a key is kept after a write, as its Lua file takes it; 0 where that works it out. */
  readonly ttl: (times: Times) => number;
  /** Checks the policy's durations; every fault is added under its path. */
  readonly times: (policy: Policy, limit: number, path: string, faults: Faults) => Times;
  /** Its branch of the scripts. */
  readonly script: string;
  /** The reference that the script is checked against, and what counts in memory. */
  readonly model: AlgorithmModel<unknown>;
}

/** Where a policy carries its implementation: out of the way of its data, and spread along with it. */
export const IMPLEMENTATION = Symbol("implementation");
