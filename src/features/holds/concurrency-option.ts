import { madeOf } from "../../algorithms/algorithm.ts";
import type { Holding, Labelled, Labels, Literal } from "../../algorithms/common-options.ts";
import {
  CONCURRENCY,
  type ConcurrencyOptions,
  type ConcurrencyPolicy,
} from "../../algorithms/concurrency.ts";
import { DECIDE } from "../../algorithms/scripts.generated.ts";
import { createLocalSlots } from "../../decide/local-slots.ts";
import { holds } from "./holds-feature.ts";

/** Slots of holds: the script that gives them beside other policies, and those that an isolate gives without the store. */
export const slots = { scripts: { decide: DECIDE }, create: createLocalSlots };

/**
 * A slot for each hold, kept until the hold is settled or released, or until its time is over: with `limit: 10`, never
 * more than ten at once. A hold takes one slot, whatever it costs. `Retry-After` of a denial is `retryAfter`; the policy's row
 * says in `retryAfterMs` when the first slot expires.
 *
 * It has no `lease`, no `shards` and cannot count denials.
 *
 * @example
 * concurrency({ name: "streams", limit: 10, ttl: "60s" })
 */
export function concurrency<Name extends string = string, By extends string = never>(
  options: ConcurrencyOptions & Labels<Name, By, string>,
): ConcurrencyPolicy & Holding & Labelled<Name, By> & Literal<By, "concurrency()"> {
  return madeOf(options, { ...CONCURRENCY, features: { holds, slots } });
}
