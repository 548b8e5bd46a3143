import type { StoreError } from "../options/errors.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { type NoteRegion, REGION_COUNTS } from "../store/region/region-store.ts";
import type { Reply, Store } from "../store/store.ts";
import { codeOf, FIELD } from "./fields.ts";
import { DURATION_BOUNDS_MS, STORE_ERRORS } from "./outcomes.ts";
import type { Collect } from "./tally.ts";

/** Counts a gateway's calls to its store. */
export interface StoreMeter {
  /** The same store; its decisions are counted. */
  measured(store: Store): Store;
  /** Counts commands that Redis bills. */
  commands(count: number): void;
  /** Counts what a region does. */
  readonly region: NoteRegion;
  drain(collect: Collect): void;
}

/** @param now a steady clock, in milliseconds */
export function createStoreMeter(now: () => number): StoreMeter {
  const durations = new Float64Array(DURATION_BOUNDS_MS.length + 1);
  const errors = new Float64Array(STORE_ERRORS.length);
  const ofRegion = new Float64Array(REGION_COUNTS.length);
  let sumUs = 0;
  let commands = 0;
  let excess = 0;
  const ahead = new Map<string, number>();

  function note(ms: number): void {
    let bucket = 0;
    while (bucket < DURATION_BOUNDS_MS.length && ms > DURATION_BOUNDS_MS[bucket]!) bucket++;
    durations[bucket]!++;
    sumUs += Math.round(ms * 1000);
  }

  function noteFailure(error: unknown): void {
    const code = String((error as StoreError).code).replace("ERR_STORE_", "");
    const place = STORE_ERRORS.indexOf(code as (typeof STORE_ERRORS)[number]);
    if (place >= 0) errors[place]!++;
  }

  async function timed(answer: Reply | Promise<Reply>, sentAtMs: number): Promise<Reply> {
    try {
      const reply = await answer;
      note(now() - sentAtMs);
      return reply;
    } catch (error) {
      noteFailure(error);
      throw error;
    }
  }

  /** A settlement that finds less room than it takes goes into debt, by all of its units at most. */
  function noteExcess(
    [operation, , costs, policies]: Parameters<Store["decide"]>,
    { rows }: Reply,
  ): void {
    if (operation !== "charge") return;
    policies.forEach(({ optimistic }, i) => {
      if (optimistic && !rows[i]!.allowed) excess += costs[i]!;
    });
  }

  function noteAhead(policies: readonly CompiledPolicy[], unitsOf: (i: number) => number): void {
    policies.forEach(({ name }, i) => {
      const units = unitsOf(i);
      if (units > 0) ahead.set(name, (ahead.get(name) ?? 0) + units);
    });
  }

  /** A lease's units beyond that of the request that asks for it, and those that a settlement counts late. */
  function noteSpared(
    [operation, , costs, policies, , lease]: Parameters<Store["decide"]>,
    { leased = 0 }: Reply,
  ): void {
    if (operation === "lease") noteAhead(policies, () => leased - (lease?.own ?? 1));
    if (operation === "charge") {
      noteAhead(policies, (i) => (policies[i]!.optimistic ? costs[i]! : 0));
    }
  }

  return {
    measured(store) {
      return {
        ...store,
        async decide(...asked) {
          const sentAtMs = now();
          const reply = await timed(store.decide(...asked), sentAtMs);
          noteExcess(asked, reply);
          noteSpared(asked, reply);
          return reply;
        },
      };
    },

    commands(count) {
      commands += count;
    },

    region(count, times) {
      ofRegion[REGION_COUNTS.indexOf(count)]! += times;
    },

    drain(collect) {
      const some = (field: string, count: number) => count > 0 && collect(field, count);
      durations.forEach((count, i) => some(FIELD.durations + codeOf(i), count));
      errors.forEach((count, i) => some(FIELD.storeErrors + codeOf(i), count));
      ofRegion.forEach((count, i) => some(FIELD.region + codeOf(i), count));
      some(FIELD.durationSum, sumUs);
      some(FIELD.commands, commands);
      some(FIELD.excess, excess);
      for (const [policy, units] of ahead) collect(FIELD.ahead + policy, units);
      ahead.clear();
      durations.fill(0);
      errors.fill(0);
      ofRegion.fill(0);
      sumUs = commands = excess = 0;
    },
  };
}
