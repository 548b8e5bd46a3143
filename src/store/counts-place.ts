import type { ObjectNamespace } from "./object-namespace.ts";
import type { RedisAddress } from "./redis/client.ts";

/** A place that all isolates share. */
export type CountsPlace =
  | { readonly kind: "redis"; readonly redis: RedisAddress }
  | { readonly kind: "durable-object"; readonly objects: ObjectNamespace };
