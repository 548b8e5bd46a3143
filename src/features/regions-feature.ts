import { verdictsOf } from "../decide/ask-store.ts";
import type { CoreSettings, LimiterContext } from "../decide/limiter-context.ts";
import { after, type AskStore, type Decide, type Step, type Verdict } from "../decide/step.ts";
import { given, type MadeBy, meaningOf, optionValue } from "../options/option-value.ts";
import { TAKES } from "../store/redis/feature-calls.ts";
import { HOME_WORDS, openRegion } from "../store/region/open-region.ts";
import { StandInError } from "../store/region/stand-in.ts";
import { compileRegion } from "./compile-region.ts";
import type { RegionOptions } from "./region-options.ts";

/** Takes what a region has counted by itself, while home gave no answer, as the answer. */
const answerAlone: Step<AskStore> = (next) => async (asked) => {
  const answer = await next(asked);
  const { error } = answer;
  if (!(error instanceof StandInError)) return answer;
  const verdicts = verdictsOf(asked.groups, error.reply, 0, 0);
  const alone = { countedBy: "none", error } as const;
  return { groups: verdicts.map((each) => Object.assign(each, alone)), error };
};

/** A store nearby, which spends units that it took at home before. */
export const regions = {
  scripts: { take: TAKES },
  compile: compileRegion,
  open: openRegion,
  homeWords: HOME_WORDS,
  steps: countDenied,
  answerAlone,
};

/**
 * Decides most requests by a store nearby, which takes units of hot identities at `redis`, their home, ahead of time. Home enforces
 * tighter policies, so that their promises hold, however many regions there are: a token bucket that is smaller by the refill of a
 * term, or a window that is longer by a term (a fixed window stays as it is). Requests of identities that are not hot wait for home,
 * and so does each request in which a policy takes part that cannot be leased: `concurrency`, one with `refundable`, `counts`,
 * `optimistic`, `lease` or `shards`, and one in shadow.
 *
 * @example
 * createLimiter({
 *   redis: { url: "https://home....upstash.io", token: "..." },
 *   region: region({ name: "fra", redis: { url: "https://fra....upstash.io", token: "..." } }),
 *   policies: [tokenBucket({ name: "api", by: "*", limit: 4_000, refill: 1_000, per: "1s" })],
 * })
 */
export function region(options: RegionOptions): MadeBy<"region()"> {
  const meant = meaningOf(options?.redis);
  const plain = meant ? { ...options, redis: meant.plain["redis"] } : options;
  return optionValue("region", { region: given(plain) }, { ...meant?.features, regions });
}

/** Tells the store of requests that the isolate denied by itself: they still count as demand. */
function countDenied({ store, keysOf }: LimiterContext<CoreSettings>): Step<Decide> {
  function count({ reason, groups }: Verdict): void {
    if (reason !== "cached-denial") return;
    for (const { asked } of groups) store.noteDenied?.(keysOf(asked), asked.costs);
  }

  return (next) => (asked) =>
    after(next(asked), (verdict) => {
      count(verdict);
      return verdict;
    });
}
