import type { Redis } from "ioredis";

import type { Quota, Subject } from "./subject.ts";

/**
 * Fills a log as a steady stream of requests would have, ending now: with every `window / limit` to come, its oldest
 * unit leaves. The subject's own script does it, with a clock that is set.
 */
export async function fillSteadily(
  redis: Redis,
  subject: Subject,
  identity: string,
  quota: Quota,
): Promise<void> {
  const { script, keys, args } = await subject.call(identity, 1, quota);
  const clock = /[\w.]+\('TIME'\)/;
  if (!clock.test(script)) throw new Error(`${subject.name} does not read the server's clock`);
  const step = Math.floor((quota.window * 1000) / quota.limit);
  const filler = `
    local at, step, count = ${(Date.now() - quota.window) * 1000 + step}, ${step}, ${quota.limit}
    local function clock()
      return { string.format('%.0f', math.floor(at / 1000000)), string.format('%.0f', at % 1000000) }
    end
    local function request()
      ${script.replace(clock, "clock()")}
    end
    for _ = 1, count do
      request()
      at = at + step
    end`;
  await redis.eval(filler, keys.length, ...keys, ...args);
}
