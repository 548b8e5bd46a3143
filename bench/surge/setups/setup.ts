import { bundle } from "../../support/bundle.ts";
import type { Promised } from "../figures/measure.ts";
import type { Endpoint } from "../people/person.ts";
import { ceilingOf, type Layer, LAYERS, RIDER_BUCKET } from "./layers.ts";

/** A worker to put in front of the API, and its promise. */
export interface Setup {
  readonly name: string;
  /** The module that is deployed. */
  readonly module: () => Promise<string>;
  /** Its variables besides the origin and the Redis. */
  readonly variables: Readonly<Record<string, string>>;
  readonly promises: readonly Promised[];
}

const perRider: Promised = {
  bucket: bucketOf(RIDER_BUCKET),
  partitionOf: ({ person, endpoint }) => `${person} ${endpoint satisfies Endpoint}`,
};

/** The gateway as it is deployed, with the rules of a layer. */
export function gatewaySetup(layer: Layer, capacity: number): Setup {
  const perService: Promised = {
    bucket: bucketOf(ceilingOf(capacity)),
    partitionOf: () => "everybody",
  };
  const promises = {
    without: [],
    bucket: [perRider],
    ceiling: [perRider, perService],
    with: [perRider, perService],
  };
  return {
    name: layer,
    module: () => moduleOf("./src/worker.ts"),
    // Everything shares two cores: a stall of the machine must not pass for one of Redis.
    variables: { RULES: JSON.stringify(LAYERS[layer](capacity)), TIMEOUT: "1s" },
    promises: promises[layer],
  };
}

/** The peer's worker, with the same limits per rider. */
export function peerSetup(algorithm: "token-bucket" | "sliding-window"): Setup {
  return {
    name: `@upstash/ratelimit, ${algorithm}`,
    module: () => moduleOf("./bench/surge/setups/upstash.ts"),
    variables: { ALGORITHM: algorithm, UPSTASH_DISABLE_TELEMETRY: "1" },
    promises: algorithm === "token-bucket" ? [perRider] : [],
  };
}

function moduleOf(worker: string): Promise<string> {
  return bundle(`
    import worker from "${worker}";
    import { tellsCalls } from "./bench/surge/setups/asked-redis.ts";
    export default tellsCalls(worker);`);
}

function bucketOf({ limit, refill }: { limit: number; refill: number }) {
  return { limit, refillPerMs: refill / 1000 };
}
