import type { Algorithm } from "../../../src/policy/policy.ts";
import { readCommands, TIME } from "../../../src/store/redis/script-commands.ts";

/** The call itself, such as EVALSHA. */
const CALL = 1;

/** The commands of a decision by policies that count requests, once they have counted the client before. */
export function decisionCommands(algorithms: readonly Algorithm[]) {
  const denied = CALL + TIME + readCommands(algorithms);
  return { allowed: denied + algorithms.length, denied };
}
