import type { PlainRegion } from "../../features/region-options.ts";
import type { Duration } from "../../options/duration.ts";
import type { Faults } from "../../options/faults.ts";
import { REGION_WITH } from "../../options/messages.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { RedisEndpoint } from "../../store/redis/client.ts";
import { FEW_REGIONS, TWO_REGIONS } from "../rules/variable-messages.ts";
import { type NearbyStores, readStores, STORES_NAME, TOKEN_NAME } from "./region-stores.ts";
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
};

/** The name in the log of a region that has none, and of several. */
const NEARBY = "nearby";

/** Some platforms have an empty text for a variable that is not set. */
const isSet = (value: unknown) => value !== undefined && value !== "";

/** Puts the faults of a region under the names of its variables. */
export function inVariables(faults: Faults): Faults {
  return new PlacedFaults(faults, { pathsOf: (path) => VARIABLE_OF[path] ?? [path] });
}

/** A gateway's region, or its regions. */
export interface GatewayRegion {
  /** The options by which rules are compiled, unchecked. */
  readonly options: PlainRegion;
  readonly nearby: NearbyStores;
}

/**
 * The region of the variables; `undefined` if none of its stores is given.
 *
 * @param isOnWorkers whether they are those of a worker. Default: as here
 */
export function readRegion(
  environment: Environment,
  { store, shared }: Pick<Variables, "store" | "shared">,
  faults: Faults,
  isOnWorkers?: boolean,
): GatewayRegion | undefined {
  const { [URL_NAME]: url, [TOKEN_NAME]: token, [STORES_NAME]: table } = environment;
  const isTable = isSet(table);
  if (!isTable && !isSet(url) && !isSet(token)) return undefined;
  const name = isTable ? STORES_NAME : URL_NAME;
  if (isTable && isSet(url)) faults.add(URL_NAME, url, TWO_REGIONS);
  if (store !== "redis") faults.add("STORE", store, REGION_WITH, name);
  if (shared === "colo") faults.add("SHARED_DENIALS", shared, REGION_WITH, name);
  const { REGION_NAME, REGION_TERM, REGION_CREDIT, REGIONS } = environment;
  const ownName = isSet(REGION_NAME) ? (REGION_NAME as string) : NEARBY;
  const nearby = isTable
    ? readStores(table, environment, faults, isOnWorkers)
    : oneStore(ownName, { url: url as string, token: token as string });
  if (isTable && isSet(REGIONS) && Number(REGIONS) < nearby.regions) {
    faults.add("REGIONS", REGIONS, FEW_REGIONS, nearby.regions);
  }
  return {
    options: {
      name: isTable ? NEARBY : ownName,
      // Opened, and checked, apart.
      redis: { url: "", token: "" },
      ...(isSet(REGION_TERM) && { term: REGION_TERM as Duration }),
      ...(isSet(REGION_CREDIT) && { credit: Number(REGION_CREDIT) }),
      ...(isSet(REGIONS) ? { regions: Number(REGIONS) } : isTable && { regions: nearby.regions }),
    },
    nearby,
  };
}

function oneStore(name: string, redis: RedisEndpoint): NearbyStores {
  const variables = { url: URL_NAME, token: TOKEN_NAME };
  return { stores: [{ name, redis, variables }], regions: 1, nearest: undefined };
}
