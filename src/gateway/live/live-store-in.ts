import { liveStoreOver, objectControl } from "../../store/control/control-over.ts";
import type { LiveStore } from "../../store/control/control-store.ts";
import { redisLiveStore } from "../../store/control/live-store.ts";
import type { ControlPlace } from "../../store/counts-place.ts";

/**
 * The live rules of a gateway at a place.
 *
 * @param onCommand called with each command of Redis that is sent
 */
export function liveStoreIn(
  place: ControlPlace,
  prefix: string,
  timeoutMs: number,
  onCommand: () => void,
): LiveStore {
  return place.kind === "redis"
    ? redisLiveStore(place.redis, prefix, timeoutMs, onCommand)
    : liveStoreOver(objectControl(place.objects, prefix), "managed");
}

/**
 * A name for the copies of a place in the zone's cache, which other writers cannot guess. That matters because isolates enforce
 * what they find there. `undefined` where there is no secret to make it of.
 *
 * @param secret a token of the gateway
 */
export function cacheNameOf(place: ControlPlace, secret: string | undefined): string | undefined {
  if (place.kind === "redis") return `${place.redis.url} ${place.redis.token}`;
  return secret === undefined ? undefined : `durable-object ${secret}`;
}
