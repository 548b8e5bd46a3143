/** The counts of a region, for metrics. The position of each is its code in Redis, so that new ones come at the end. */
export const REGION_COUNTS = [
  /** Requests that waited for home. */
  "waits",
  /** Calls at home, also those that no request waited for. */
  "homeCalls",
  /** Units that were taken at home and that no request spent in time. */
  "unspentUnits",
  /** Promises to bring units that were not kept. */
  "lostClaims",
  /** Requests that the region did not answer. */
  "failures",
] as const;

export type RegionCount = (typeof REGION_COUNTS)[number];

/** Adds to a count. */
export type NoteRegion = (count: RegionCount, times: number) => void;
