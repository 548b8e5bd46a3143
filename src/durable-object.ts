/**
 * Limits without Redis on Cloudflare: `import { durableObjectStore, TidegateObject } from "tidegate/durable-object"`. Elsewhere, as
 * in a unit test in Node, it can be imported, and no object answers.
 *
 * @module
 */

export { durableObjectStore } from "./store/durable-object-store.ts";
export type { DurableObjectStoreOptions, ObjectNamespace } from "./store/durable-object-store.ts";
export { TidegateObject } from "./store/tidegate-object.ts";
