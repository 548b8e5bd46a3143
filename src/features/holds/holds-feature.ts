import { HOLDS } from "../../store/redis/hold-calls.ts";
import { answerCounted } from "./answer-counted.ts";
import { checkRefundable, checkStore } from "./check-holds.ts";
import { withoutHold } from "./create-hold.ts";
import { compileFailures, refuseResponses } from "./failures.ts";
import { withReserve } from "./reserve.ts";
import { needsHold, settlementOf } from "./settle-response.ts";

/**
 * `reserve()`, whose holds are settled, give units back, and keep slots of `concurrency()`. In front of an origin,
 * responses settle their requests' reservations.
 */
export const holds = {
  scripts: { holds: HOLDS },
  checkPolicy: checkRefundable,
  checkStore,
  operations: withReserve,
  answerCounted,
  withoutHold,
  needsHold,
  compileFailures,
  refuseResponses,
  settlementOf,
};
