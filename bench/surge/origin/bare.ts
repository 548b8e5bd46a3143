/** A path that the origin answers at once: its latency is the driver's own. */
export const BARE = "/bare";
