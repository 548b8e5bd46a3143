import { TAKE } from "../../algorithms/scripts.generated.ts";
import type { TakeCalls } from "./script-calls.ts";
import { parseReply } from "./store.ts";

/** For the home of regions. The reply ends with the units that each policy gave, and the waits for one more. */
export const TAKES: TakeCalls = {
  script: TAKE,

  async take(run, script, keys, args, orders) {
    const sent = [
      ...args,
      ...orders.flatMap(({ most, need, owed }) => [most, need, owed].map(String)),
    ];
    const { length } = keys;
    const end = 1 + 4 * length;
    const numbers = await run(script, keys, sent, end + 2 * length);
    return {
      ...parseReply(numbers.slice(0, end)),
      taken: numbers.slice(end, end + length),
      againUs: numbers.slice(end + length),
    };
  },
};
