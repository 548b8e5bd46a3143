import type { ObjectNamespace } from "../durable-object-store.ts";
import type { RedisAddress } from "../redis/client.ts";

/** Where a gateway's control data is, and whether the counts are elsewhere. */
export type ControlPlace =
  | { readonly kind: "redis"; readonly redis: RedisAddress; readonly isOwn: boolean }
  | {
      readonly kind: "durable-object";
      readonly objects: ObjectNamespace;
      readonly isOwn: boolean;
    };
