import type { Row } from "../algorithms/model.ts";
import type { Reply } from "../store/store.ts";
import { heldUnits, type Holding, spend } from "./holding.ts";

/** Spends held units, and replies with what is left. */
export function spendHeld(holding: Holding, cost: number, time: number): Reply {
  spend(holding, cost);
  return replyFromHolding(holding, time, true);
}

/**
 * The reply to a request that is served from held units, or denied because none are left: the latest answer as it
 * stands now.
 */
export function replyFromHolding(holding: Holding, time: number, allowed: boolean): Reply {
  const { answer, sentAt, pausedUntil } = holding;
  const elapsedUs = Math.round((time - sentAt) * 1000);
  const pauseLeft = Math.round((pausedUntil - time) * 1000);
  const held = heldUnits(holding, time);
  const rows = answer.rows.map(({ remaining, retryAfterUs, resetAfterUs }): Row => {
    // A policy without room has its next unit when its own wait is over, and not before the next lease may be
    // requested.
    const waits = retryAfterUs > 0 && held === 0;
    const wait = waits ? Math.max(retryAfterUs - elapsedUs, pauseLeft, allowed ? 0 : 1) : 0;
    return {
      allowed: allowed || !waits,
      remaining: remaining + held,
      retryAfterUs: wait,
      resetAfterUs: Math.max(wait, resetAfterUs - elapsedUs),
    };
  });
  const reply = { nowUs: answer.nowUs + elapsedUs, rows, repeated: true } as const;
  expectSilence(holding, reply, time);
  return reply;
}

/** Clients that were told to wait may stay away that long, so their silence says nothing about demand. */
export function expectSilence(holding: Holding, { rows }: Reply, time: number): void {
  for (const { retryAfterUs } of rows) {
    holding.silentUntil = Math.max(holding.silentUntil, time + retryAfterUs / 1000);
  }
}
