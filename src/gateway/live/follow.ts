import { monotonicNow } from "../../runtime/clock.ts";
import { report } from "../../runtime/log.ts";
import { liveKeys } from "../../store/control/live-keys.ts";
import { historyReader } from "../../store/control/redis/read-history.ts";
import { stateReader } from "../../store/control/redis/read-state.ts";
import { storeError } from "../../store/redis/errors.ts";
import { restReader, type SendCommand } from "../../store/redis/rest.ts";
import type { GatewayConfig, PlatformParts } from "../config/config.ts";
import type { LiveEnforcement } from "./enforcement.ts";
import { createRefresh, type Refresh } from "./refresh.ts";
import { throughCache } from "./share-state.ts";

/** Keeps the rules in force near those in Redis; `undefined` where no live rules are read. */
export function followLive(
  { redis, liveRefreshMs: refreshMs, timeoutMs, recorder, defaults: { prefix } }: GatewayConfig,
  { coloCache }: PlatformParts,
  { adopt }: LiveEnforcement,
): Refresh | undefined {
  if (redis === undefined || refreshMs === undefined) return undefined;
  const keys = liveKeys(prefix);
  const send = restReader(redis, timeoutMs);
  const counted: SendCommand = async (command) => {
    recorder?.meter.commands(1);
    try {
      return await send(command);
    } catch (error) {
      throw storeError(error);
    }
  };
  const readHistory = historyReader(counted, keys);
  const readRedis = stateReader(counted, keys);
  // Other writers to the zone's cache cannot guess this name. That matters because isolates enforce its content.
  const cache = coloCache?.(`${redis.url} ${redis.token}`);
  return createRefresh({
    read: cache ? throughCache(readRedis, cache, keys.state, refreshMs) : readRedis,
    readRedis,
    refreshMs,
    timeoutMs,
    now: monotonicNow,
    adopt: (state) => adopt(state, readHistory),
    onError: report,
  });
}
