import type { Cluster, Redis } from "ioredis";

import { monotonicNow } from "../../../src/runtime/time.ts";

/**
 * Tells that Redis is gone, and that it is back: once for each outage, however many requests meet it.
 *
 * @returns ends the telling, before the bridge itself closes the connection
 */
export function tellOutages(client: Redis | Cluster, tell: (line: string) => void): () => void {
  let goneAtMs: number | undefined;
  let wasThere = false;
  const onReady = () => {
    wasThere = true;
    if (goneAtMs === undefined) return;
    const seconds = Math.max(1, Math.round((monotonicNow() - goneAtMs) / 1000));
    tell(`Redis is back after ${seconds} s`);
    goneAtMs = undefined;
  };
  const onClose = () => {
    // Before the first connection the bridge says itself that there is none.
    if (!wasThere || goneAtMs !== undefined) return;
    goneAtMs = monotonicNow();
    tell("Redis is gone; requests are answered 503 until it is back");
  };
  client.on("ready", onReady);
  client.on("close", onClose);
  return () => void client.off("close", onClose);
}
