import type { Faults } from "../../options/faults.ts";
import { positionOfFault } from "../../options/json-fault.ts";
import { CHOICE } from "../../options/messages.ts";
import { type Environment, onWorkers } from "../../runtime/environment.ts";
import { reportOnce } from "../../runtime/log.ts";
import type { RedisEndpoint } from "../../store/redis/client.ts";
import { LOCATION_HINTS, type LocationHint } from "../../store/region/location-hints.ts";
import { check } from "../rules/check-shape.ts";
import { fromJson } from "../rules/from-json.ts";
import { NO_PLACE, REGION_STORES_TEXT } from "../rules/variable-messages.ts";
import { createNearest, type Nearest, type Place } from "./nearest.ts";
import { RegionStores } from "./region-shape.ts";

export const STORES_NAME = "REGION_STORES";
export const TOKEN_NAME = "REGION_REDIS_REST_TOKEN";

/** A store nearby, not opened yet: a Redis, or Durable Objects. */
export interface NearbyStore {
  readonly name: string;
  readonly redis?: RedisEndpoint;
  readonly locationHint?: LocationHint;
  /** The names of the variables that have its address and its token. */
  readonly variables: { readonly url: string; readonly token: string };
}

/** The stores among which requests choose. */
export interface NearbyStores {
  readonly stores: readonly NearbyStore[];
  /** How many regions there are at least. */
  readonly regions: number;
  /** `undefined` with one store. */
  readonly nearest: Nearest | undefined;
}

/**
 * Reads the stores of several regions, and keeps those that may be the nearest here; none after a fault.
 *
 * @param isOnWorkers whether requests may choose. Default: as here
 */
export function readStores(
  given: unknown,
  environment: Environment,
  faults: Faults,
  isOnWorkers = onWorkers(),
): NearbyStores {
  const table = fromJson(given);
  if (table instanceof SyntaxError) {
    faults.add(STORES_NAME, given, REGION_STORES_TEXT, positionOfFault(table));
    return NONE;
  }
  const checked = check(RegionStores, table, STORES_NAME, faults);
  if (!checked) return NONE;
  const rows = Object.entries(checked).map(([name, { url, locationHint, at }]) => {
    const variables = { url: `${STORES_NAME}.${name}.url`, token: tokenOf(name, environment) };
    const redis = { url: url!, token: environment[variables.token] as string };
    const store: NearbyStore = {
      name,
      variables,
      ...(locationHint ? { locationHint } : { redis }),
    };
    return {
      store,
      place: (at as Place | undefined) ?? (locationHint && LOCATION_HINTS[locationHint]),
    };
  });
  const regions = rows.length;
  const names = rows.map(({ store }) => store.name);
  const own = ownStore(names, environment, faults, isOnWorkers);
  if (own !== undefined) return { stores: [rows[own]!.store], regions, nearest: undefined };
  for (const { store, place } of rows) {
    if (!place) faults.add(`${STORES_NAME}.${store.name}.at`, undefined, NO_PLACE);
  }
  const placed = rows.flatMap(({ place }) => (place ? [place] : []));
  return { stores: rows.map(({ store }) => store), regions, nearest: createNearest(placed) };
}

/** Of a table with faults. There is a region, so that its credit has no fault of its own. */
const NONE: NearbyStores = { stores: [], regions: 1, nearest: undefined };

/** The variable with the token of a store: one of its own, or that of all. */
function tokenOf(name: string, environment: Environment): string {
  const own = `${TOKEN_NAME}_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
  return environment[own] === undefined && environment[TOKEN_NAME] !== undefined ? TOKEN_NAME : own;
}

/** The one store that this deployment uses; `undefined` where requests choose. */
function ownStore(
  names: readonly string[],
  { REGION_NAME, VERCEL_REGION }: Environment,
  faults: Faults,
  isOnWorkers: boolean,
): number | undefined {
  if (names.length === 1) return 0;
  if (REGION_NAME !== undefined && REGION_NAME !== "") {
    const named = names.indexOf(REGION_NAME as string);
    if (named < 0) faults.add("REGION_NAME", REGION_NAME, CHOICE, names);
    return Math.max(0, named);
  }
  if (isOnWorkers) return undefined;
  if (typeof VERCEL_REGION !== "string") {
    faults.add("REGION_NAME", REGION_NAME, CHOICE, names);
    return 0;
  }
  const named = names.indexOf(VERCEL_REGION);
  if (named < 0) {
    reportOnce(
      `no store of ${STORES_NAME} has the name ${VERCEL_REGION}, the region of this function: ${names[0]} decides nearby.`,
    );
  }
  return Math.max(0, named);
}
