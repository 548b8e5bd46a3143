import { given, optionValue, type MadeBy } from "../options/option-value.ts";
import { shards as feature } from "./shards-feature.ts";

/**
 * Splits the limit of a hot identity over this many keys, which a Redis Cluster spreads over its masters. A request asks one of them,
 * at most two, so that `remaining` is the rest of that shard: at least so much is left in all. All shards together never admit more
 * than the policy. A request may cost at most the smallest shard's limit, `limit / shards` rounded down: 125,000 of a limit of
 * 1,000,000 with 8. Cannot be combined with a lease or `denials()`. A change of the count starts parts of the count anew.
 *
 * @param count Range: 2 to 64, at most the limit
 * @example
 * fixedWindow({ name: "everyone", by: "*", limit: 1_000_000, window: "1h", shards: shards(8) })
 */
export function shards(count: number): MadeBy<"shards()"> {
  return optionValue("shards", { shards: given(count) }, { shards: feature });
}
