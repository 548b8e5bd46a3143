import type { CountsPlace } from "../store/counts-place.ts";
import { objectMetrics } from "../store/object-metrics.ts";
import { redisMetrics } from "../store/redis/redis-metrics.ts";
import { restSender } from "../store/redis/rest.ts";
import { createRecorder, type Recorder, type RecorderOptions } from "./recorder.ts";

/** Opens the metrics of a gateway, which are where its counts are. */
export type OpenRecorder = (
  options: Omit<RecorderOptions, "openStore"> & {
    readonly place: CountsPlace;
    readonly prefix: string;
    /** How long a write to Redis may take. */
    readonly timeoutMs: number;
  },
) => Recorder;

/**
 * Counts the requests of a gateway.
 *
 * @example
 * export default createGateway(process.env, { admin, metrics });
 */
export const metrics: OpenRecorder = ({ place, prefix, timeoutMs, ...options }) =>
  createRecorder({
    ...options,
    openStore: (onCommands) =>
      place.kind === "redis"
        ? redisMetrics(place.redis, prefix, restSender(place.redis, timeoutMs), onCommands)
        : objectMetrics(place.objects, prefix),
  });
