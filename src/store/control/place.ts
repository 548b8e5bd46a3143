import type { RedisAddress } from "../redis/client.ts";

/** Where a gateway's control data is. */
export interface ControlPlace {
  readonly kind: "redis";
  readonly redis: RedisAddress;
  /** Whether it is another Redis than that of the counts. */
  readonly isOwn: boolean;
}
