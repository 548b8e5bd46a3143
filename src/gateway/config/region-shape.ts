import * as z from "zod/mini";

import { CHOICE } from "../../options/messages.ts";
import { NAME } from "../../policy/compile.ts";
import { LOCATION_HINTS, type LocationHint } from "../../store/region/location-hints.ts";
import { REGION_STORES } from "../rules/variable-messages.ts";

const STORE =
  "Give url, the address of a Redis, or locationHint, where Durable Objects are created, and not both.";
const AT = "Give the latitude and longitude of the store, in degrees, such as [50.1, 8.7].";
const STORE_NAME = "Name a store with 1 to 64 letters, digits, `.`, `_` and `-`.";

const hints = Object.keys(LOCATION_HINTS) as LocationHint[];

const Store = z.strictObject(
  {
    url: z.optional(z.string(STORE)),
    locationHint: z.optional(z.enum(hints, CHOICE.say(hints))),
    at: z.optional(z.array(z.number(AT), AT).check(z.refine(isPlace, AT))),
  },
  STORE,
);

/** The stores of several regions, by their names. Their tokens are secrets of their own. */
export const RegionStores = z
  .record(
    z.string().check(z.regex(NAME, STORE_NAME)),
    Store.check(
      z.refine(
        ({ url, locationHint }) => (url === undefined) !== (locationHint === undefined),
        STORE,
      ),
    ),
    REGION_STORES.say,
  )
  .check(z.refine((stores) => Object.keys(stores).length > 0, REGION_STORES.say));

function isPlace([latitude, longitude, ...more]: readonly number[]): boolean {
  return Math.abs(latitude!) <= 90 && Math.abs(longitude!) <= 180 && more.length === 0;
}
