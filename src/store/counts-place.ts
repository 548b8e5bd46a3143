import type { ObjectNamespace } from "./object-call.ts";
import type { RedisAddress } from "./redis/client.ts";

/** A place that all isolates share. */
export type CountsPlace =
  | { readonly kind: "redis"; readonly redis: RedisAddress }
  | { readonly kind: "durable-object"; readonly objects: ObjectNamespace };

/** The place of a gateway's control data, and whether the counts are elsewhere. */
export type ControlPlace = CountsPlace & { readonly isOwn: boolean };
