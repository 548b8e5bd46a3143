import type { Row } from "../../algorithms/model.ts";
import type { Reply } from "../../store/store.ts";
import { coveredUnits, coversAll, type Grant, leasedUnits, type Holding } from "./holding.ts";

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
