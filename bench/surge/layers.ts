import type { Promised } from "./measure.ts";
import { ROUTES } from "./population.ts";
import type { SetupName } from "./results.ts";

/** The gateway's rules, and what they promise. */
export interface Layers {
  readonly rules: readonly object[];
  readonly promises: readonly Promised[];
}

/** The bucket that the incident's report has for each rider and endpoint. */
const RIDER_BUCKET = { limit: 20, refill: 10, per: "1s" };
/** The option that the last layer adds. */
const JITTER = { retryJitter: 0.1 };

/** The layers of each set-up, from none to all. */
export function layersOf(capacity: number): Record<SetupName, Layers> {
  // A quarter of a second may come at once: enough for the lease's pieces, and no queue worth the name.
  const ceilingBucket = { limit: Math.ceil(capacity / 4), refill: capacity, per: "1s" };
  const perRider: Promised = {
    bucket: bucketOf(RIDER_BUCKET),
    partitionOf: ({ person, endpoint }) => `${person} ${endpoint}`,
  };
  const perService: Promised = {
    bucket: bucketOf(ceilingBucket),
    partitionOf: () => "everybody",
  };
  const riders = (more: object = {}) =>
    Object.entries(ROUTES).map(([name, { method, path }]) => {
      const policy = { algorithm: "token-bucket", name, ...RIDER_BUCKET, ...more };
      return { method, path, partition: ["header:x-user-id", "ip"], policies: [policy] };
    });
  const ceiling = (more: object = {}) => {
    const policy = { algorithm: "token-bucket", name: "matching", ...ceilingBucket };
    return { path: "/api/*", partition: "*", policies: [{ ...policy, lease: "100ms", ...more }] };
  };
  return {
    // The gateway wants a rule: one that covers no request of the surge.
    without: { rules: [{ ...riders()[0], path: "/nothing" }], promises: [] },
    bucket: { rules: riders(), promises: [perRider] },
    ceiling: { rules: [...riders(), ceiling()], promises: [perRider, perService] },
    with: { rules: [...riders(JITTER), ceiling(JITTER)], promises: [perRider, perService] },
  };
}

function bucketOf({ limit, refill }: { limit: number; refill: number }) {
  return { limit, refillPerMs: refill / 1000 };
}
