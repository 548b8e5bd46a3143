import type { Row } from "../algorithms/model.ts";
import type { Reply } from "../store/store.ts";
import { heldUnits, type Holding } from "./holding.ts";

/**
 * The reply to a request that is served from held units, or denied because none are left: the latest answer as it
 * stands now.
 */
export function replyFromHolding(holding: Holding, nowMs: number, allowed: boolean): Reply {
  const { answer, sentAtMs, pausedUntilMs } = holding;
  const elapsedUs = Math.round((nowMs - sentAtMs) * 1000);
  const pauseLeftUs = Math.round((pausedUntilMs - nowMs) * 1000);
  const held = heldUnits(holding, nowMs);
  const rows = answer.rows.map(({ remaining, retryAfterUs, resetAfterUs }): Row => {
    // A policy without room has its next unit when its own wait is over, and not before the next lease may be
    // requested.
    const waits = retryAfterUs > 0 && held === 0;
    const waitUs = waits ? Math.max(retryAfterUs - elapsedUs, pauseLeftUs, allowed ? 0 : 1) : 0;
    return {
      allowed: allowed || !waits,
      remaining: remaining + held,
      retryAfterUs: waitUs,
      resetAfterUs: Math.max(waitUs, resetAfterUs - elapsedUs),
    };
  });
  return { nowUs: answer.nowUs + elapsedUs, rows, estimated: true };
}
