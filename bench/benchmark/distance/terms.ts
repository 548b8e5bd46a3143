/** A bucket that a minute's traffic of one identity can empty: two seconds of its rate. */
export const LIMIT = 50;
/** Units per second. */
export const RATE = 20;
/** Units that an isolate admits ahead of Redis with `optimistic`: its default. */
export const UNSETTLED = 1;
/** Of the limit, what an isolate counts by itself before it tells Redis, with a threshold. */
export const THRESHOLD = 0.2;
/** Units that an isolate counts by itself before it tells Redis, with unsynchronised tokens. */
export const UNSYNCHRONISED = 20;

/** The token of the bridge. */
export const TOKEN = "local";
