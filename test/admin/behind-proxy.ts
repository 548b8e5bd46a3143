import { inject, onTestFinished } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { administered } from "../support/admin/administered.ts";
import { startFaultProxy } from "../support/fault-proxy.ts";
import { askingOf, sharedRedis } from "./ask.ts";

/** The token of the bridge. */
export const SECRET = "token-of-redis-1";

/** An administration whose own calls go through a proxy to a bridge; failures are counted beside it. */
export async function behindProxy({
  emulate,
  dialect,
}: { readonly emulate?: "upstash"; readonly dialect?: "upstash" } = {}) {
  const bridge = await startBridge({
    redis: inject("redisUrl"),
    port: 0,
    token: SECRET,
    ...(emulate && { emulate }),
  });
  const proxy = await startFaultProxy(bridge.url);
  onTestFinished(async () => {
    await proxy.stop();
    await bridge.close();
  });
  const gateway = administered(sharedRedis(), {
    control: { kind: "redis", redis: { url: proxy.url, token: SECRET, dialect }, isOwn: true },
  });
  return { proxy, ask: askingOf(gateway) };
}
