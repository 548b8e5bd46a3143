/** Five seconds of the rate, so that the busiest identities empty their buckets early in a run. */
export const LIMIT = 50;
/** Units per second. So few that the machine keeps up with every way: a queue would be measured as a wait for Redis. */
export const RATE = 10;
/** Units that an isolate admits ahead of Redis with `optimistic`: its default. */
export const UNSETTLED = 1;
/** The share of the limit that an isolate with a threshold counts alone before it reports to Redis. */
export const THRESHOLD = 0.2;
/** Units that an isolate counts by itself before it tells Redis, with unsynchronised tokens. */
export const UNSYNCHRONISED = 20;

/** The token of the bridge. */
export const TOKEN = "local";
