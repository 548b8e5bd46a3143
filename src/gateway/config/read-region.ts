import type { PlainRegion } from "../../features/region/region-options.ts";
import type { Duration } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import { REGION_WITH } from "../../options/messages.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { Variables } from "./variables.ts";

const URL_NAME = "REGION_REDIS_REST_URL";

/**
 * The variables of the options of a region. A fault of the region as a whole names no variable, because live rules may cause
 * it, too.
 */
const VARIABLE_OF: Readonly<Record<string, readonly string[]>> = {
  region: [],
  "region.name": ["REGION_NAME"],
  "region.term": ["REGION_TERM"],
  "region.credit": ["REGION_CREDIT"],
  "region.regions": ["REGIONS"],
  "region.redis.url": [URL_NAME],
  "region.redis.token": ["REGION_REDIS_REST_TOKEN"],
};

/** The name in the log of a region that has none. */
const NEARBY = "nearby";

/** Some platforms have an empty text for a variable that is not set. */
const isSet = (value: unknown) => value !== undefined && value !== "";

/** Puts the faults of a region under the names of its variables. */
export function inVariables(faults: Faults): Faults {
  return new PlacedFaults(faults, { pathsOf: (path) => VARIABLE_OF[path] ?? [path] });
}

/** The region of the variables, unchecked; `undefined` if none of its Redis is given. */
export function readRegion(
  environment: Environment,
  { store, shared }: Pick<Variables, "store" | "shared">,
  faults: Faults,
): PlainRegion | undefined {
  const { [URL_NAME]: url, REGION_REDIS_REST_TOKEN: token } = environment;
  if (!isSet(url) && !isSet(token)) return undefined;
  if (store !== "redis") faults.add("STORE", store, REGION_WITH, URL_NAME);
  if (shared === "colo") faults.add("SHARED_DENIALS", shared, REGION_WITH, URL_NAME);
  const { REGION_NAME, REGION_TERM, REGION_CREDIT, REGIONS } = environment;
  return {
    name: isSet(REGION_NAME) ? (REGION_NAME as string) : NEARBY,
    redis: { url: url as string, token: token as string },
    ...(isSet(REGION_TERM) && { term: REGION_TERM as Duration }),
    ...(isSet(REGION_CREDIT) && { credit: Number(REGION_CREDIT) }),
    ...(isSet(REGIONS) && { regions: Number(REGIONS) }),
  };
}
