import * as z from "zod/mini";

import { NAME } from "../../policy/compile.ts";
import { LOCATION_HINTS, type LocationHint } from "../../store/region/objects/location-hints.ts";

const STORES =
  'Give a table of stores by their names, where variables are text as JSON: { "fra": { "url": "https://fra.example.com", "at": [50.1, 8.7] } }.';
const STORE =
  "Give url, the address of a Redis, or locationHint, where Durable Objects are created, and not both.";
const AT = "Give the latitude and longitude of the store, in degrees, such as [50.1, 8.7].";
const STORE_NAME = "Name a store with 1 to 64 letters, digits, `.`, `_` and `-`.";

const degrees = (most: number) => z.number(AT).check(z.gte(-most, AT), z.lte(most, AT));

const hints = Object.keys(LOCATION_HINTS) as LocationHint[];

/** The stores of several regions, by their names. Their tokens are secrets of their own. */
export const RegionStores = z
  .record(
    z.string().check(z.regex(NAME, STORE_NAME)),
    z
      .strictObject(
        {
          url: z.optional(z.string(STORE)),
          locationHint: z.optional(z.enum(hints, `Use one of ${hints.join(", ")}.`)),
          at: z.optional(z.tuple([degrees(90), degrees(180)], AT)),
        },
        STORE,
      )
      .check(
        z.refine(
          ({ url, locationHint }) => (url === undefined) !== (locationHint === undefined),
          STORE,
        ),
      ),
    STORES,
  )
  .check(z.refine((stores) => Object.keys(stores).length > 0, STORES));
