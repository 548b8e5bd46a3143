import { max } from "d3-array";

import { draw, type Panel } from "../../../plot/picture.ts";
import type { SurgeResults } from "../../results.ts";
import type { RedisLost, Survived } from "../../scenes/redis-lost.ts";
import { count, duration, percent } from "../numbers.ts";
import { perSecond } from "./per-second.ts";
import { band, lengthInSeconds } from "./surge-band.ts";

/** The answers that people get while Redis is gone, from the gateway and from the peer. */
export function redisLostPicture({ scenes: { redisLost } }: SurgeResults): string {
  const { gateway, peer, lostAtMs, backAtMs } = redisLost;
  const seconds = [...gateway.seconds, ...peer.seconds];
  const most = max(seconds, ({ sent }) => sent) || 1;
  return draw({
    title:
      `While Redis is gone, ${failedShare(gateway)} of requests fail with Tidegate, ` +
      `${failedShare(peer)} with @upstash/ratelimit`,
    note:
      "Requests per second, stacked, by when the person meant to send them. Grey: Redis is gone for " +
      `${duration(backAtMs - lostAtMs)}. The figures above each panel are of that time.`,
    panels: [
      panelOf("Tidegate", gateway, redisLost, most),
      panelOf("@upstash", peer, redisLost, most),
    ],
  });
}

function failedShare({ duringLoss: { failed, sent } }: Survived): string {
  return percent(failed / Math.max(1, sent));
}

function panelOf(
  name: string,
  { duringLoss: { allowed, denied, failed }, seconds }: Survived,
  loss: RedisLost,
  most: number,
): Panel {
  return {
    heading: [
      { text: `${name}: ` },
      { text: `${count(allowed)} served`, colour: "good" },
      { text: ", " },
      { text: `${count(denied)} denied (429)`, colour: "denied" },
      { text: ", " },
      { text: `${count(failed)} failed`, colour: "bad" },
    ],
    plot: {
      ...perSecond({
        seconds,
        length: lengthInSeconds(loss),
        most,
        behind: band(loss.lostAtMs, loss.backAtMs),
      }),
      height: 150,
    },
  };
}
