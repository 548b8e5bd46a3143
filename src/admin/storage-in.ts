import { connectionTo } from "../store/control/connection.ts";
import { objectControl, storageOver } from "../store/control/control-over.ts";
import { storageOf } from "../store/control/redis-storage.ts";
import type { Storage } from "../store/control/storage.ts";
import type { ControlPlace } from "../store/counts-place.ts";

/** The control data of a gateway at a place. */
export function storageIn(place: ControlPlace, prefix: string): Storage {
  return place.kind === "redis"
    ? storageOf(connectionTo(place.redis), prefix)
    : storageOver(objectControl(place.objects, prefix));
}
