import { Redis } from "ioredis";

import { startRedisServer } from "./scripts/support/redis-server.ts";
import {
  fixedWindow,
  slidingWindowLog,
  segmentedWindow,
  slidingWindowCounter,
  tokenBucket,
} from "./src/index.ts";
import { playSchedule } from "./test/support/replica/schedule.ts";
const server = await startRedisServer();
const redis = new Redis(server.url, { disableClientInfo: true });
const KINDS = {
  bucket: (limit, c) =>
    tokenBucket({ name: "p", limit, refill: c ? 7 : 3, per: c ? "41s" : "60s" }),
  log: (limit, c) => slidingWindowLog({ name: "p", limit, window: c ? "90s" : "60s" }),
  counter: (limit, c) => slidingWindowCounter({ name: "p", limit, window: c ? "90s" : "60s" }),
  segmented: (limit, c) => segmentedWindow({ name: "p", limit, window: c ? "90s" : "60s" }),
  fixed: (limit, c) => fixedWindow({ name: "p", limit, window: c ? "90s" : "60s" }),
  own: (limit, c) => fixedWindow({ name: "p", limit, window: c ? "90s" : "60s", aligned: false }),
} as any;
const N = Number(process.argv[2] ?? 3);
const from = Number(process.argv[3] ?? 1);
for (const [name, make] of Object.entries(KINDS) as any) {
  for (const mode of (process.argv[4] ?? "same,two,resets").split(",")) {
    const total = { nearby: 0, cached: 0, allowed: 0, wrong: [] as string[] };
    for (let seed = from; seed < from + N; seed++) {
      const own = [make(4 + (seed % 5), false)],
        other = [make(4 + (seed % 3), mode === "two")];
      const options =
        mode === "resets"
          ? { policies: [own, own, own], steps: 150, pauseUs: 3e6, lagUs: 55e6, resets: true }
          : { policies: [own, own, own, other, other], steps: 150, pauseUs: 3e6, lagUs: 600e6, hasSettings: mode === "two" };
      const o = await playSchedule(redis, { seed, ...options });
      total.nearby += o.nearby;
      total.cached += o.cached;
      total.allowed += o.allowed;
      total.wrong.push(...o.wrong);
    }
    console.log(
      name,
      mode,
      total.nearby,
      total.cached,
      total.allowed,
      total.wrong.length,
      total.wrong.slice(0, 3),
    );
  }
}
redis.disconnect();
await server.stop();
