import { HOLDS } from "../../store/redis/holds.ts";
import { checkRefundable, checkStore } from "./check.ts";
import { withoutHold } from "./create-hold.ts";
import { withReserve } from "./reserve.ts";

/** The holds of a limiter. */
export const limiterHolds = {
  scripts: { holds: HOLDS },
  checkPolicy: checkRefundable,
  checkStore,
  operations: withReserve,
  withoutHold,
};
