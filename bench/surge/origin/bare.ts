/** A path that the origin answers at once: what a request for it takes is the driver's own latency. */
export const BARE = "/bare";
