/**
 * Durable Objects on Cloudflare: `import { durableObjectStore, TidegateObject } from "tidegate/durable-object"` for limits without
 * Redis, `durableObjectRegion` and `TidegateRegion` for a region of a Redis. Elsewhere, as in a unit test in Node, it can be imported,
 * and no object answers.
 *
 * @module
 */

export { durableObjectRegion } from "./store/durable-object-region.ts";
export type { DurableObjectRegionOptions } from "./store/durable-object-region.ts";
export { durableObjectStore } from "./store/durable-object-store.ts";
export type { DurableObjectStoreOptions } from "./store/durable-object-store.ts";
export type { ObjectNamespace } from "./store/object-call.ts";
export type { LocationHint } from "./store/region/location-hints.ts";
export type { RegionStore } from "./store/region/region-store.ts";
export { TidegateObject } from "./store/tidegate-object.ts";
export { TidegateRegion } from "./store/tidegate-region.ts";
