import {
  THROTTLER,
  type ThrottlerParameters,
  type ThrottlerState,
} from "../algorithms/drop-in-throttler.ts";
import { type Answer, type CountsBy, openCounts } from "./counts.ts";
import type { DropIn } from "./open-drop-in.ts";
import { THROTTLER as script } from "./scripts.generated.ts";

export const THROTTLER_SCRIPTS = { one: { before: script, after: "" } };

/** Counts hits, each for a time from then on. */
export interface HitCounter {
  /**
   * Counts a hit, unless there is no room for it or the client is blocked. A denial is remembered until there may be room.
   *
   * @param blockUs how long a hit beyond the limit blocks; 0 to deny until there is room again
   */
  add(key: unknown, limit: number, ttlUs: number, blockUs: number): Promise<Answer>;
}

/** So many hits have an end of their own. Beyond, some end later by a part of the ttl, so that a key has a bounded size. */
const MOST_ENDS = 1_000;

const BY_THROTTLER: CountsBy<ThrottlerParameters, ThrottlerState> = {
  name: "throttler",
  algorithm: THROTTLER,
  parameters: ["ttlUs", "blockUs", "most", "grainUs"],
  unitsOf: ({ hits }) => hits,
  unitsAfter: ({ limit }, { remaining }) => Math.max(0, limit - remaining),
  adopt({ allowed, retryAfterUs, resetAfterUs }, nowUs, { parameters }, hits, before) {
    const { ttlUs, blockUs } = parameters;
    const blockedUs = !allowed && blockUs > 0 ? retryAfterUs : 0;
    const blockedUntilUs = Math.max(blockedUs && nowUs + blockedUs, before?.blockedUntilUs ?? 0);
    const [ends, ttlEndsUs] = [nowUs + ttlUs, nowUs + resetAfterUs];
    const keptUntilUs = Math.max(ends, blockedUntilUs, ttlEndsUs);
    const runs = ttlUs > 0 && hits > 0 ? [ends, hits] : [];
    const state = { seenUs: nowUs, blockedUntilUs, ttlEndsUs, hits, runs, keptUntilUs };
    return { state, endsUs: keptUntilUs };
  },
};

/** @param dropIn opened with `THROTTLER_SCRIPTS` */
export function countHits(dropIn: DropIn): HitCounter {
  const counts = openCounts(dropIn, BY_THROTTLER);

  return {
    add(key, limit, ttlUs, blockUs) {
      const grainUs = Math.max(1, Math.ceil(ttlUs / MOST_ENDS));
      return counts.ask(key, {
        operation: "charge",
        limit,
        parameters: { ttlUs, blockUs, most: MOST_ENDS, grainUs },
        rule: `${limit} ${ttlUs} ${blockUs}`,
      });
    },
  };
}
