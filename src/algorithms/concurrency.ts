import type { Duration, DurationRange } from "../options/duration.ts";
import type { Faults } from "../options/faults.ts";
import { DENIALS_OF_SLOTS, FAILURES_OF_SLOTS, SHARDS_OF_SLOTS } from "../options/messages.ts";
import { defineAlgorithm, type PolicyOf } from "./algorithm.ts";
import type { CommonOptions, PolicyOptions } from "./common-options.ts";
import type { AlgorithmModel, Slot } from "./model.ts";
import { CONCURRENCY as script } from "./scripts.generated.ts";
import { partOfWindow } from "./window.ts";

interface TakenSlot {
  readonly id: string;
  readonly expiresUs: number;
}

export interface ConcurrencyState {
  /** By their expiry, the first to expire first; at most as many as the highest limit and those that have expired. */
  readonly slots: readonly TakenSlot[];
}

/** The index of the first slot that expires after this moment, by binary search. */
function firstAfter(slots: readonly TakenSlot[], atUs: number): number {
  let low = 0;
  let high = slots.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slots[middle]!.expiresUs > atUs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The slots with one more, by their expiry. */
export function withSlot(slots: readonly TakenSlot[], id: string, expiresUs: number): TakenSlot[] {
  const more = slots.slice();
  more.splice(firstAfter(slots, expiresUs), 0, { id, expiresUs });
  return more;
}

/** The state without this slot: the same object if it was not there. As `lua/refund.lua` does. */
export function withoutSlot(state: ConcurrencyState, id: string): ConcurrencyState {
  const slots = state.slots.filter((slot) => slot.id !== id);
  return slots.length < state.slots.length ? { slots } : state;
}

/**
 * The state where this slot, if it is still kept, expires its ttl from now, even if it had longer left: the same object if
 * it is not kept any more. As `lua/extend.lua` does.
 *
 * @param ttlUs the policy's
 */
export function withSlotExtended(
  state: ConcurrencyState,
  { id, ttlUs: wantedUs }: Slot,
  nowUs: number,
  ttlUs: number,
): ConcurrencyState {
  const own = state.slots.find((slot) => slot.id === id);
  if (!own || own.expiresUs <= nowUs) return state;
  const { slots } = withoutSlot(state, id);
  return { slots: withSlot(slots, id, nowUs + Math.min(ttlUs, wantedUs)) };
}

interface ConcurrencyNumbers {
  /** How many holds may go on at the same time. Range: 1 to 100,000. */
  readonly limit: number;
  /**
   * How long a hold keeps its slot at most without being extended, in case that it never ends. Range: `"1s"` to `"24h"`.
   * Default: `"60s"`.
   */
  readonly ttl?: Duration;
  /**
   * How long clients that find no slot are told to wait, at most until the first slot expires: most are freed long before
   * that. Range: `"1ms"` to `"24h"`. Default: `"1s"`.
   */
  readonly retryAfter?: Duration;
}

/** The options of `concurrency()`. */
export type ConcurrencyOptions = ConcurrencyNumbers & PolicyOptions;

export type ConcurrencyPolicy = PolicyOf<"concurrency", ConcurrencyNumbers & CommonOptions>;

/** Below a second a slow network would end holds; work that goes on for more than a day is no request. */
const TTL_RANGE: DurationRange = { min: "1s", max: "24h", example: "60s" };
const DEFAULT_TTL: Duration = "60s";
const RETRY_AFTER_RANGE: DurationRange = { min: "1ms", max: "24h", example: "1s" };
/** Streams end at any time: a client that came back every second would find a slot soon, and cost one call each time. */
const DEFAULT_RETRY_AFTER: Duration = "1s";

interface ConcurrencyValues {
  /** Both in microseconds. */
  readonly ttl: number;
  readonly retryAfter: number;
}

interface ConcurrencyParameters extends Readonly<Record<string, number>> {
  /** How long a slot is kept at most without being extended. */
  readonly ttlUs: number;
  /** The longest wait that clients are told. */
  readonly retryAfterUs: number;
}

const countSlots: AlgorithmModel<ConcurrencyParameters, ConcurrencyState> = (state, request) => {
  const { nowUs, operation, cost, limit, parameters, slot } = request;
  const { ttlUs } = parameters;
  let { slots } = state ?? { slots: [] };
  let kept = state;
  const boundUs = nowUs + ttlUs;
  if (slots.length > 0 && slots.at(-1)!.expiresUs > boundUs) {
    // The clock stepped back, or the ttl has become shorter: no slot has longer left than one ttl.
    slots = slots.map((each) =>
      each.expiresUs > boundUs ? { ...each, expiresUs: boundUs } : each,
    );
    kept = { slots };
  }
  const first = firstAfter(slots, nowUs);
  if (first > 0) slots = slots.slice(first);

  const hasSlot = slot !== undefined && slots.some(({ id }) => id === slot.id);
  const hasRoom = cost === 0 || slots.length < limit;
  if (operation === "consume" && slot && hasRoom) {
    if (!hasSlot) slots = withSlot(slots, slot.id, nowUs + Math.min(ttlUs, slot.ttlUs));
    kept = { slots };
  }

  const inUse = slots.length;
  return {
    allowed: hasRoom || hasSlot,
    remaining: Math.max(0, limit - inUse),
    retryAfterUs: cost > 0 && inUse >= limit ? slots.at(-limit)!.expiresUs - nowUs : 0,
    resetAfterUs: inUse > 0 ? slots.at(-1)!.expiresUs - nowUs : 0,
    state: kept,
  };
};

/** A slot belongs to one hold: it cannot be on any of several keys, or taken for a denial. */
function refuse({ shards, counts }: CommonOptions, path: string, faults: Faults): void {
  if (shards !== undefined) {
    faults.add(`${path}.shards`, shards, SHARDS_OF_SLOTS);
  }
  if (counts === "denials") {
    faults.add(`${path}.counts`, counts, DENIALS_OF_SLOTS);
  } else if (counts === "failures") {
    faults.add(`${path}.counts`, counts, FAILURES_OF_SLOTS);
  }
}

export const CONCURRENCY = /* @__PURE__ */ defineAlgorithm<
  ConcurrencyPolicy,
  ConcurrencyValues,
  ConcurrencyParameters
>({
  name: "concurrency",
  // The letter of "holds": the counter has the first letter.
  code: "h",
  layout: 1,
  // In Redis a slot takes about 140 bytes, so that a full key takes 14 MB; more at once is a mistake, not a limit.
  maxLimit: 100_000,
  options: {
    ttl: { kind: "duration", range: TTL_RANGE, default: DEFAULT_TTL },
    retryAfter: { kind: "duration", range: RETRY_AFTER_RANGE, default: DEFAULT_RETRY_AFTER },
  },
  nameParts: ({ ttl = DEFAULT_TTL }) => [ttl],
  refuse,
  hasSlots: true,

  quotaOf: (limit, { ttl: ttlUs, retryAfter: retryAfterUs }) => ({
    limit,
    windowUs: ttlUs,
    parameters: { ttlUs, retryAfterUs, unused: 0 },
  }),
  parameters: ["ttlUs", "unused"],
  // Slots are told apart by their ids, and expire by themselves: their ttl changes nothing about those that are taken.
  meaning: () => [],

  // A slot is never taken in advance: no lease is short enough.
  lease: { tighten: (quota) => quota, maxUs: () => 0 },
  partOf: partOfWindow,
  script,
  model: countSlots,
});
