/** Where Cloudflare can create an object, and about where that is: latitude and longitude, in degrees. */
export const LOCATION_HINTS = {
  wnam: [37, -122],
  enam: [39, -77],
  sam: [-23, -47],
  weur: [50, 4],
  eeur: [50, 20],
  apac: [22, 114],
  oc: [-34, 151],
  afr: [-26, 28],
  me: [25, 55],
} as const;

/** A part of the world, as Cloudflare names it for the place of an object. */
export type LocationHint = keyof typeof LOCATION_HINTS;
