import type { Duration, DurationRange } from "../options/duration.ts";
import type { Faults } from "../options/faults.ts";
import type { CommonOptions } from "./common-options.ts";
import type { AlgorithmModel, Evaluation, ModelRequest } from "./model.ts";

/** Above 10^9, products of a limit and a time exceed 2^53, up to which Lua and JavaScript count exactly. */
export const MAX_LIMIT = 1_000_000_000;

/** Up to here both Lua and JavaScript count exactly. */
export const MAX_UNITS = 2 ** 53 - 1;

/** A policy as its builder returns it: the options, the algorithm's name, and its implementation. */
export type PolicyOf<Name extends string, Options> = Options & {
  readonly algorithm: Name;
  readonly [IMPLEMENTATION]: Implementation;
};

/** The key of a policy's implementation: out of the way of its data, and copied by a spread. */
export const IMPLEMENTATION = Symbol("implementation");

/** The values that an option may have. */
export type OptionKind =
  /** A whole number from 1 to `max`. */
  | { readonly kind: "integer"; readonly max: number; readonly default?: number }
  /** `true` or `false`, which the algorithm gets as 1 or 0. */
  | { readonly kind: "boolean"; readonly default: boolean }
  /** An option that only `quotaOf` reads and checks. */
  | { readonly kind: "own" }
  /** A time, such as `"10s"`; without a range, from 1 ms to 366 days. */
  | { readonly kind: "duration"; readonly range?: DurationRange; readonly default?: Duration };

/** The quota that a policy's options make. */
export interface Quota<Parameters> {
  readonly limit: number;
  /** The length of the window; for a token bucket, the time it takes to refill. */
  readonly windowUs: number;
  readonly parameters: Parameters;
}

/**
 * Everything in which one algorithm differs from the others. A policy carries it, so that a bundle contains only the
 * algorithms that its code uses.
 *
 * @typeParam Values its options: integers as they are, booleans as 1 or 0, durations in microseconds
 * @typeParam Parameters the two numbers that its script takes besides the limit
 */
export interface AlgorithmDefinition<
  Name extends string,
  Values extends object,
  Parameters extends Readonly<Record<string, number>>,
> {
  readonly name: Name;
  /**
   * Ends its keys, so that two algorithms under one name count apart: neither could read the other's state. One letter,
   * because every key in Redis stores it.
   */
  readonly code: string;
  /**
   * The version of the state's layout, from 1. It follows the code in the keys, but for the first, so that two versions of the
   * package count apart where one could not read the state of the other.
   */
  readonly layout: number;
  readonly maxLimit: number;
  /** Completes the remedy for a limit that is too large. */
  readonly limitHint?: string;
  /** Its options besides `limit` and those of every policy. */
  readonly options: { readonly [Name in keyof Values]: OptionKind };
  /** Adds a fault under `path` for each option of every policy that makes no sense here. */
  readonly refuse?: (policy: CommonOptions, path: string, faults: Faults) => void;
  /** Refuses numbers of a plan that this kind of policy cannot have: returns `true`, and adds a fault under `path`. */
  readonly refusesNumbers?: (numbers: object, path: string, faults: Faults) => boolean;
  /** Whether units come back one after the other, each after the same time. Default: `false`, as for windows. */
  readonly refillsEvenly?: boolean;
  /**
   * Whether it gives each hold a slot, instead of counting units: a consume takes one if it comes with a `Slot`, and a
   * denial can end before its time, because a slot may be given back.
   */
  readonly hasSlots?: true;
  /** The features that each policy of this kind needs. */
  readonly features?: object;
  /** The parts of the name of a policy without one. */
  readonly nameParts: (policy: Readonly<Record<string, unknown>>) => readonly unknown[];
  /**
   * Computes the script's parameters. Faults that concern several options together are added under `path`.
   *
   * @param policy as it was given, with options of the kind `own`
   */
  readonly quotaOf: (
    limit: number,
    values: Values,
    path: string,
    faults: Faults,
    policy: object,
  ) => Quota<Parameters>;
  /** The names of the parameters, in the order in which the script takes them. */
  readonly parameters: readonly [keyof Parameters & string, keyof Parameters & string];
  /**
   * What its keys say besides the name of the policy: a window its length, a bucket nothing. Never the limit, so that all
   * limits of one policy count together. Policies of one name that differ in it count apart.
   */
  readonly meaning: (quota: Quota<Parameters>) => readonly string[];
  /**
   * The policy's group of the script's arguments as it is now: algorithm, limit, two parameters. Left out where they never
   * change.
   */
  readonly live?: (quota: Quota<Parameters>) => readonly string[];
  readonly lease: LeaseRules<Parameters>;
  /** The quota of one of `shards` equal parts: with this lower limit, and that part of its rate. */
  readonly partOf: (quota: Quota<Parameters>, limit: number, shards: number) => Quota<Parameters>;
  /** Its branch of the scripts. */
  readonly script: string;
  /** How a memory counts by it. Left out where `MODELS` has it, for bundles without a store in memory. */
  readonly model?: (state: never, request: ModelRequest<Parameters>) => Evaluation<unknown>;
}

/** How a policy is leased: units are spent up to one lease after Redis took them. */
export interface LeaseRules<Parameters> {
  /**
   * The quota that Redis has to enforce so that isolates that spend leased units keep the given one: Redis took in a time
   * w + lease the units that they spend in a time w.
   */
  readonly tighten: (quota: Quota<Parameters>, leaseUs: number) => Quota<Parameters>;
  /** The longest lease that leaves enough of the quota. */
  readonly maxUs: (quota: Quota<Parameters>) => number;
  /** Whether leased units expire when the window ends. */
  readonly endsWithWindow?: boolean;
}

/** An algorithm whose values and parameters only the algorithm itself looks into. */
export type Implementation = AlgorithmDefinition<
  string,
  Record<string, number>,
  Readonly<Record<string, number>>
>;

/** The policy that a builder returns for these options. Their values are taken apart where a limiter is made. */
export function madeOf<Policy>(options: object, implementation: Implementation): Policy {
  const { name: algorithm } = implementation;
  return { ...options, algorithm, [IMPLEMENTATION]: implementation } as Policy;
}

declare const POLICY: unique symbol;

/** An implementation with the type of its policies, which exists for the compiler only. */
export type ImplementationOf<Policy> = Implementation & { readonly [POLICY]?: Policy };

export type PolicyMadeFor<Made> = Made extends ImplementationOf<infer Policy> ? Policy : never;

/**
 * Checks a definition against its own types, and hides all of them but its policy's. Each call carries the mark by which
 * bundlers know that it has no effect: without it, a bundle that needs only the model keeps the whole definition.
 */
export function defineAlgorithm<
  Policy extends { readonly algorithm: string },
  Values extends object,
  Parameters extends Readonly<Record<string, number>>,
>(
  algorithm: AlgorithmDefinition<Policy["algorithm"], Values, Parameters>,
): ImplementationOf<Policy> {
  return algorithm as unknown as ImplementationOf<Policy>;
}

/**
 * Makes an algorithm by which only drop-ins count. No limiter has policies of it, so that it is what stores read and no more; its
 * script is a whole one, in place of the one for a single policy.
 */
export function defineForDropIns<Parameters, State>(
  name: string,
  model: AlgorithmModel<Parameters, State>,
): Implementation {
  return { name, script: "", model } as unknown as Implementation;
}
