import { HOLDS } from "../../store/redis/holds.ts";
import { checkRefundable, checkStore } from "./check.ts";
import { withoutHold } from "./create-hold.ts";
import { withReserve } from "./reserve.ts";

/** What a limiter has of holds. */
export const holds = {
  scripts: { holds: HOLDS },
  checkPolicy: checkRefundable,
  checkStore,
  operations: withReserve,
  withoutHold,
};
