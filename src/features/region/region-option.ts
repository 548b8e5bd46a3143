import { given, meaningOf, optionValue, type MadeBy } from "../../options/option-value.ts";
import type { RegionOptions } from "./region-options.ts";
import { regions } from "./regions-feature.ts";

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
