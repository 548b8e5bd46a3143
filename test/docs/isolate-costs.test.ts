import { readFileSync } from "node:fs";

import { expect, test, vi } from "vitest";

import { liveKeys } from "../../src/store/control/live-keys.ts";
import { quota } from "../support/gateway/gateway.ts";
import { type MeteredGateway, meteredGateways } from "../support/metrics/metered-gateway.ts";
import { ownRedis, TOKEN } from "../support/own-redis.ts";

/* What docs/costs.md says of an isolate, by the commands that a real server counts. */

const own = ownRedis();
const page = readFileSync("docs/costs.md", "utf8");

/** Of the bridge, and of this test. INFO is also a command of the gateway: the test adds it. */
const OTHERS = ["ping", "hello", "client|setinfo", "info", "config|resetstat", "hset"];

test("an isolate costs what the table says", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const { redis } = own;
  // At a repetition the server would know the script of the time before.
  await redis.script("FLUSH");
  async function billed(act: () => Promise<unknown>): Promise<number> {
    await redis.config("RESETSTAT");
    await act();
    const stats = await redis.info("commandstats");
    const calls = Array.from(stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g), ([, name, times]) =>
      OTHERS.includes(name!) ? 0 : Number(times),
    );
    return calls.reduce((sum, each) => sum + each, 0);
  }
  const gateways = await meteredGateways([{ path: "/*", policies: [quota("one", 100)] }], {
    UPSTASH_REDIS_REST_URL: own.bridge.url,
    UPSTASH_REDIS_REST_TOKEN: TOKEN,
  });
  const isolate = (LIVE_REFRESH: string) => {
    const admin = LIVE_REFRESH === "off" && { ADMIN_TOKEN: undefined };
    return gateways.open({ LIVE_REFRESH, ...admin });
  };
  const without = isolate("off");
  async function visit(isolate: MeteredGateway): Promise<void> {
    await isolate.ask("/");
    // The first request asks in the background whether the Redis keeps its data.
    await isolate.idle();
  }
  const info = 1;
  const unknown = await billed(() => visit(without));
  const decision = await billed(() => visit(without));
  const live = isolate("10s");
  const begins = await billed(() => visit(live));
  const refresh = await billed(() => live.administered.refresh());
  await redis.hset(liveKeys(gateways.prefix).state, { revision: 1, version: 0 });
  const changed = await billed(() => live.administered.refresh());

  const row = (name: string, commands: number) =>
    expect(page).toMatch(new RegExp(`\\| ${name} +\\| ${commands} `));
  row("its first decision by a script that its Redis does not know yet", unknown - decision);
  row("its first request, with live rules", begins + info - decision);
  row("each `LIVE_REFRESH` with a request", refresh);
  row("the same after a publication, a block or an override", changed);
});
