import type { Row } from "../../algorithms/model.ts";
import type { LeaseRequest, Reply } from "../../store/store.ts";
import {
  coveredUnits,
  coversAll,
  type Grant,
  type Holding,
  leasedUnits,
  noteSpent,
  putBack,
  spend,
  takeSpent,
} from "./holding.ts";

/** The ways to serve a request with leases. */
export type LeaseAction =
  /** From leased units. */
  | "spend"
  /** From the next lease, which it requests. */
  | "renew"
  /** Denied: the store had no more units, and it is too early to ask again. */
  | "deny"
  /** By the store, for this request only. */
  | "ask";

/** One request's access to the units that an isolate holds for a partition. */
export interface LeaseAccess {
  readonly action: LeaseAction;
  /** Spends leased units for the request. Returns whether there were enough. */
  spend(): boolean;
  /** Whether there are enough leased units now. */
  canSpend(): boolean;
  /**
   * Requests the next lease, and takes the request's unit from it. It may run long after the draft, while other requests ask; on
   * Workers it never ends if the client hangs up.
   *
   * @param own 1 if the request is admitted with this unit, 0 if another group may still deny it
   * @throws StoreError if the store gave no answer and too few units are leased
   */
  renew(keys: readonly string[], own: number): Promise<"served" | "denied" | "refused">;
  /** Puts the request's units back, because it is denied after all. */
  putBack(): void;
  /** Notes that the request is admitted, so that its units are spent. */
  admit(): void;
  /** Drops leased units: the fallback decides now, and counts them as part of the remaining units. */
  drop(): void;
  /** The latest answer, projected to now, for a request that is served from leased units or denied without them. */
  reply(allowed: boolean): Reply;
  /** The rows of the store's answer to this request, with waits no longer than those for leased units. */
  answered(rows: readonly Row[], sentAtMs: number): readonly Row[];
}

/** The terms that all accesses of a group share. */
export interface LeaseTerms {
  readonly now: () => number;
  /** The time during which no other lease is requested. */
  readonly pauseMs: number;
  /** The number of enforced policies. Advisory policies come after them. */
  readonly enforced: number;
  /** Notes the units that an answer leaves. */
  noteLeft(holding: Holding, rows: readonly Row[]): void;
  request(
    keys: readonly string[],
    units: number,
    request: Pick<LeaseRequest, "own" | "spent">,
  ): Promise<LeaseAnswer>;
  noteRoundTrip(sentAtMs: number): void;
}

interface LeaseAnswer {
  readonly reply: Reply;
  readonly sentAtMs: number;
  /** The time until which the units may be spent. */
  readonly untilMs: number;
}

/** How a request will be served, before any unit is spent for it. */
export interface LeaseDraft {
  readonly action: LeaseAction;
  readonly cost: number;
  /** The size of the next lease. */
  readonly units: number;
}

export function createLeaseAccess(
  { now, pauseMs, enforced, noteLeft, request, noteRoundTrip }: LeaseTerms,
  holding: Holding,
  { action, cost, units }: LeaseDraft,
): LeaseAccess {
  let spent: readonly Readonly<Grant>[] = [];
  /** Whether the store has denied the request its lease, so that no units are on their way. */
  let isDenied = false;

  const access: LeaseAccess = {
    action,

    canSpend: () => leasedUnits(holding, now()) >= cost,

    spend() {
      if (!access.canSpend()) return false;
      spent = spend(holding, cost);
      return true;
    },

    async renew(keys, own) {
      const pausedUntilMs = now() + pauseMs;
      holding.pausedUntilMs = pausedUntilMs;
      let answer: LeaseAnswer;
      try {
        answer = await request(keys, units, { own, spent: takeSpent(holding) });
      } catch (error) {
        // The last answer before a failure does not justify a denial.
        holding.short = false;
        if (access.spend()) return "served";
        throw error;
      }
      const { reply, sentAtMs, untilMs } = answer;
      const { leased = 0, charged, epochs } = reply;
      noteLeft(holding, reply.rows);
      const short = reply.rows.slice(0, enforced).some(({ retryAfterUs }) => retryAfterUs > 0);
      Object.assign(holding, { answer: reply, sentAtMs, short });
      // Without a unit beside the request's own, isolates hold all that leases may cost.
      const isOver = !short && leased > own && holding.pausedUntilMs === pausedUntilMs;
      if (isOver) holding.pausedUntilMs = sentAtMs;
      if (leased === 0 && access.spend()) return "served";
      isDenied = leased === 0 && short;
      if (leased === 0) return isDenied ? "denied" : "refused";
      const grant = { units: leased, untilMs, covered: charged, epochs };
      holding.grants.push(grant);
      spent = spend({ grants: [grant] }, 1);
      if (own > 0) spent = spent.map((unit) => ({ ...unit, epochs: undefined }));
      return "served";
    },

    putBack() {
      putBack(holding, spent);
      spent = [];
    },

    admit: () => noteSpent(holding, spent),

    drop() {
      holding.grants = [];
    },

    reply: (allowed) => replyFromHolding(holding, now(), allowed, spent),

    answered(rows, sentAtMs) {
      noteRoundTrip(sentAtMs);
      noteLeft(holding, rows);
      if (cost > 1) return rows;
      const nowMs = now();
      const leased = leasedUnits(holding, nowMs);
      // A concurrent lease may have taken the last units, which are here or on their way. Then the client waits less
      // than the store says.
      const pauseLeftUs = Math.ceil((holding.pausedUntilMs - nowMs) * 1000);
      const mostUs = leased > 0 ? 0 : pauseLeftUs > 0 && !isDenied ? pauseLeftUs : Infinity;
      // An advisory policy reports the store's row for this request.
      return rows.map((row, i) =>
        i < enforced
          ? {
              ...row,
              allowed: row.allowed || leased > 0,
              retryAfterUs: Math.min(row.retryAfterUs, mostUs),
            }
          : row,
      );
    },
  };
  return access;
}

/**
 * The reply to a request that is served from leased units, or denied because none are left: the latest answer, projected
 * to now.
 *
 * @param spent the units spent for the request, if it is allowed
 */
export function replyFromHolding(
  holding: Holding,
  nowMs: number,
  allowed: boolean,
  spent: readonly Readonly<Grant>[],
): Reply {
  const { answer, sentAtMs, pausedUntilMs } = holding;
  const elapsedUs = Math.round((nowMs - sentAtMs) * 1000);
  const pauseLeftUs = Math.round((pausedUntilMs - nowMs) * 1000);
  leasedUnits(holding, nowMs);
  const rows = answer.rows.map(({ remaining, retryAfterUs, resetAfterUs }, policy): Row => {
    const leased = coveredUnits(holding, policy);
    // A policy without room has its next unit when its own wait is over and the next lease may be requested.
    const waits = retryAfterUs > 0 && leased === 0;
    const hasRoom = allowed ? coversAll(spent, policy) : !waits;
    const leastUs = allowed && hasRoom ? 0 : 1;
    const waitUs = waits || !hasRoom ? Math.max(retryAfterUs - elapsedUs, pauseLeftUs, leastUs) : 0;
    return {
      allowed: hasRoom,
      remaining: remaining + leased,
      retryAfterUs: waitUs,
      resetAfterUs: Math.max(waitUs, resetAfterUs - elapsedUs),
    };
  });
  return { nowUs: answer.nowUs + elapsedUs, rows, estimated: true };
}
