import { report } from "../../runtime/log.ts";
import { monotonicNow } from "../../runtime/time.ts";
import { liveKeys } from "../../store/control/live-keys.ts";
import type { GatewayConfig } from "../config/config.ts";
import type { PlatformParts } from "../config/platform-parts.ts";
import { type ControlInspection, inspectControl } from "./control-facts.ts";
import type { LiveEnforcement } from "./enforcement.ts";
import { healing } from "./heal.ts";
import { cacheNameOf, liveStoreIn } from "./live-store-in.ts";
import { createRefresh, type Refresh } from "./refresh.ts";
import { throughCache } from "./share-state.ts";

const wallNow = () => Date.now();

/** Keeps the rules of an isolate near those in the control store. */
export interface Follower {
  readonly refresh: Refresh;
  readonly inspection: ControlInspection;
  /** Adds this isolate's decisions to those of a version that is tried. Never rejects. */
  readonly countTrial: () => Promise<void>;
}

/** Keeps the rules in force near those in the control store; `undefined` where no live rules are read. */
export function followLive(
  {
    control,
    liveRefreshMs: refreshMs,
    timeoutMs,
    recorder,
    tokens,
    defaults: { prefix },
  }: GatewayConfig,
  { coloCache }: PlatformParts,
  { adopt, takeTally }: LiveEnforcement,
): Follower | undefined {
  if (control === undefined || refreshMs === undefined) return undefined;
  const store = liveStoreIn(control, prefix, timeoutMs, () => recorder?.meter.commands(1));
  const inspection = inspectControl(control, store.persistence, report);
  const readStore = healing(store, wallNow, report);
  const cacheName = cacheNameOf(control, tokens.admin ?? tokens.read);
  const cache = cacheName === undefined ? undefined : coloCache?.(cacheName);

  async function countTrial(): Promise<void> {
    const taken = takeTally();
    if (!taken) return;
    const { version, ...counts } = taken;
    recorder?.trials.decided(counts);
    try {
      if (!(await store.countTrial(version, counts))) return;
      report(
        `version ${version} was taken back, because more of its decisions were denials than its maxDenied allows: GET /_tidegate/api/v1/audit says how many.`,
      );
      recorder?.trials.takenBack();
      // An alert tells it, so the count must not be lost with this isolate.
      await recorder?.flush();
      await refresh.readNow();
    } catch {
      // The store may have counted them, so that they are not sent again. The next read tells of a store that does not answer.
    }
  }

  const refresh = createRefresh({
    read: cache ? throughCache(readStore, cache, liveKeys(prefix).state, refreshMs) : readStore,
    readStore,
    refreshMs,
    timeoutMs,
    now: monotonicNow,
    wallNow,
    adopt: (state) => adopt(state, store.readHistory),
    async afterRead() {
      await inspection.ask();
      await countTrial();
    },
    onError: report,
  });
  return { refresh, inspection, countTrial };
}
