import type { Row } from "../../algorithms/model.ts";
import type { Reply } from "../../store/store.ts";
import { replyFromHolding } from "./held-reply.ts";
import { type Grant, heldUnits, type Holding, noteAdmitted, putBack, spend } from "./holding.ts";

/** How a request is served where there are leases. */
export type Step =
  /** From units that are held. */
  | "spend"
  /** From the next lease, which it requests. */
  | "renew"
  /** Not at all: the store had no more, and it is too early to ask again. */
  | "deny"
  /** By the store, for this request alone. */
  | "ask";

/** One request's part of what an isolate holds of a partition. */
export interface Draw {
  readonly step: Step;
  /** Spends held units for the request. Returns whether there were enough. */
  spend(): boolean;
  /** Whether there are enough held units now. */
  canSpend(): boolean;
  /**
   * Requests the next lease, and takes the request's units from it. Returns whether there were enough.
   *
   * @throws StoreError if the store gave no answer and too little is held
   */
  renew(keys: readonly string[]): Promise<boolean>;
  /** Puts back what was spent for the request, because it is denied after all. */
  putBack(): void;
  /** Notes that the request is admitted, whoever decided it. */
  admit(): void;
  /** Drops what is held: the fallback decides now, and it counts held units as part of what is left. */
  drop(): void;
  /** The latest answer as it stands now, for a request that is served from held units or denied for want of them. */
  reply(allowed: boolean): Reply;
  /** The rows of the store's answer to this request, with waits that are no longer than those for units held or leased. */
  answered(rows: readonly Row[], sentAtMs: number): readonly Row[];
}

/** What the draws of a group share. */
export interface LeaseTerms {
  readonly now: () => number;
  /** For how long no other lease is requested. */
  readonly pauseMs: number;
  /** How many policies are enforced. The others come after them, and only advise. */
  readonly enforced: number;
  /** Notes whether an answer leaves a policy without room. Returns that. */
  noteRoom(holding: Holding, rows: readonly Row[]): boolean;
  request(keys: readonly string[], units: number): Promise<LeaseAnswer>;
  noteRoundTrip(sentAtMs: number): void;
}

interface LeaseAnswer {
  readonly reply: Reply;
  readonly sentAtMs: number;
  /** Until when the units may be spent. */
  readonly untilMs: number;
  /** When a window ends with which everything is given anew; `Infinity` if none does. */
  readonly windowEndsMs: number;
}

/** How a request is to be served, before anything is spent for it. */
export interface Draft {
  readonly step: Step;
  readonly cost: number;
  /** How many units the next lease is to have. */
  readonly units: number;
}

export function createDraw(
  { now, pauseMs, enforced, noteRoom, request, noteRoundTrip }: LeaseTerms,
  holding: Holding,
  { step, cost, units }: Draft,
): Draw {
  let spent: readonly Readonly<Grant>[] = [];

  const draw: Draw = {
    step,

    canSpend: () => heldUnits(holding, now()) >= cost,

    spend() {
      if (!draw.canSpend()) return false;
      spent = spend(holding, cost);
      return true;
    },

    async renew(keys) {
      const pausedUntilMs = now() + pauseMs;
      holding.pausedUntilMs = pausedUntilMs;
      let answer: LeaseAnswer;
      try {
        answer = await request(keys, units);
      } catch (error) {
        // The last answer before a failure is no reason to deny.
        holding.short = false;
        if (draw.spend()) return true;
        throw error;
      }
      const { reply, sentAtMs, untilMs, windowEndsMs } = answer;
      const { taken = 0 } = reply;
      const short = noteRoom(holding, reply.rows);
      Object.assign(holding, { answer: reply, sentAtMs, windowEndsMs, short });
      const isOver = !short && taken > 0 && holding.pausedUntilMs === pausedUntilMs;
      if (isOver) holding.pausedUntilMs = sentAtMs;
      if (taken === 0) return draw.spend();
      const grant = { units: taken, untilMs, covered: reply.charged };
      holding.grants.push(grant);
      spent = spend({ grants: [grant] }, 1);
      return true;
    },

    putBack() {
      putBack(holding, spent);
      spent = [];
    },

    admit: () => noteAdmitted(holding, cost),

    drop() {
      holding.grants = [];
    },

    reply: (allowed) => replyFromHolding(holding, now(), allowed, spent),

    answered(rows, sentAtMs) {
      noteRoundTrip(sentAtMs);
      noteRoom(holding, rows);
      if (cost > 1) return rows;
      const nowMs = now();
      const held = heldUnits(holding, nowMs);
      // A concurrent lease may have taken the last units, which are here or on their way. Then nobody has to wait as
      // long as the store says.
      const pauseLeftUs = Math.ceil((holding.pausedUntilMs - nowMs) * 1000);
      const mostUs = held > 0 ? 0 : pauseLeftUs > 0 ? pauseLeftUs : Infinity;
      // A policy that only advises says of this request what the store found.
      return rows.map((row, i) =>
        i < enforced
          ? {
              ...row,
              allowed: row.allowed || held > 0,
              retryAfterUs: Math.min(row.retryAfterUs, mostUs),
            }
          : row,
      );
    },
  };
  return draw;
}
