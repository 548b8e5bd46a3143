import { Faults } from "../options/faults.ts";
import { CHOICE } from "../options/messages.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { decideInParts } from "./cluster/decide-in-parts.ts";
import { inGroups } from "./cluster/in-groups.ts";
import { createSlotBreaker } from "./cluster/slot-breaker.ts";
import { placesOf } from "./durable-object-partitions.ts";
import { toData } from "./durable-object-policies.ts";
import type { ObjectNamespace } from "./object-call.ts";
import { callsOf, checkNamespace } from "./partition-objects.ts";
import { LOCATION_HINTS, type LocationHint } from "./region/location-hints.ts";
import { poolsPerPartition } from "./region/pools-per-partition.ts";
import { giveBackId } from "./region/pools.ts";
import type { RegionStore } from "./region/region-store.ts";
import type { Store } from "./store.ts";
import type { TidegateRegion } from "./tidegate-region.ts";

/** The options of `durableObjectRegion()`. */
export interface DurableObjectRegionOptions {
  /**
   * The part of the world in which Cloudflare creates the objects, and that of this deployment. Range: `"wnam"`, `"enam"`, `"sam"`,
   * `"weur"`, `"eeur"`, `"apac"`, `"oc"`, `"afr"`, `"me"`.
   */
  readonly locationHint: LocationHint;
}

/**
 * The store of a region in Durable Objects instead of a Redis: one object for each partition, near the region, which has what the
 * region may spend in its memory. Home stays a Redis.
 *
 * @param namespace the binding of `TidegateRegion` in `wrangler.toml`
 * @throws ConfigurationError with every fault
 * @example
 * import { env } from "cloudflare:workers";
 *
 * const limiter = createLimiter({
 *   region: region({ name: "weur", store: durableObjectRegion(env.NEARBY, { locationHint: "weur" }) }),
 *   policies: [tokenBucket({ name: "api", by: "*", limit: 4_000, refill: 1_000, per: "1s" })],
 * });
 */
export function durableObjectRegion(
  namespace: ObjectNamespace,
  options: DurableObjectRegionOptions,
): RegionStore {
  const locationHint = checked(namespace, options);
  const call = callsOf<TidegateRegion>((tag) =>
    // Regions that share a namespace have objects of their own.
    namespace.get(namespace.idFromName(`${locationHint} ${tag}`), { locationHint }),
  );

  return {
    // A failing object suspends one partition in 256, not all of them.
    createBreaker: createSlotBreaker,

    open(run) {
      const decide: Store["decide"] = (operation, keys, costs, policies) =>
        run(keys, () =>
          call(keys, (stub) => stub.decide(operation, keys, costs, policies.map(toData))),
        );
      const refund: Store["refund"] = (keys, costs, policies, { nowUs }) =>
        run(keys, () =>
          call(keys, (stub) => stub.refund(keys, costs, policies.map(toData), nowUs)),
        );
      const forget = (keys: readonly string[]) =>
        run(keys, () => call(keys, (stub) => stub.forget(keys)));
      const inParts = decideInParts({ decide, refund, reset: forget });
      return {
        pools: poolsPerPartition({
          spend: (keys, requests) =>
            run(keys, () => call(keys, (stub) => stub.spend(keys, requests))),
          put: (keys, deliveries) =>
            run(keys, () => call(keys, (stub) => stub.put(keys, deliveries, giveBackId()))),
        }),
        alone: {
          decide(operation, keys, costs, policies) {
            const places = placesOf(keys);
            return places
              ? inParts(operation, places, keys, costs, policies)
              : decide(operation, keys, costs, policies);
          },
        },
        forget: (keys) =>
          inGroups(placesOf(keys) ?? keys.map(() => 0), async (of) => forget(of(keys))),
      };
    },
  };
}

function checked(namespace: unknown, options: unknown): LocationHint {
  const faults = new Faults();
  const { locationHint } = checkedOptions(
    options as DurableObjectRegionOptions,
    ["locationHint"],
    faults,
  );
  checkNamespace(namespace, { class: "TidegateRegion", binding: "NEARBY" }, faults);
  const hints = Object.keys(LOCATION_HINTS);
  if (!hints.includes(locationHint)) {
    faults.add("locationHint", locationHint, CHOICE, hints);
  }
  faults.throwIfAny();
  return locationHint;
}
