import type { RedisLost } from "../scenes/redis-lost.ts";
import type { RetryStorm } from "../scenes/retry-storm.ts";
import type { Scenes } from "../scenes/scenes.ts";
import { count, duration, percent } from "./numbers.ts";
import type { ScenePicture } from "./pictures/pictures.ts";

interface SceneText {
  readonly heading: string;
  /** Describes the course of the scene, and its result. */
  readonly textOf: (scenes: Scenes) => string;
}

export const SCENE_TEXTS: Record<ScenePicture, SceneText> = {
  "deploy-amnesia": {
    heading: "Deploys",
    textOf: ({ deployAmnesia: { deploys, everyMs, requestsPerSecond, windowMs } }) =>
      `One client sends ${count(requestsPerSecond)} requests a second, always over its limit, while the ` +
      `worker is replaced every ${duration(everyMs)}, ${count(deploys)} times. A worker that counts for ` +
      "itself begins at zero, and the client gets its whole limit again from each one, as often as deploys " +
      `fit into a window of ${duration(windowMs)}. A count in Redis outlives them all.`,
  },
  "boundary-burst": {
    heading: "The boundary of two windows",
    textOf: ({ boundaryBurst: { limit, windowMs } }) =>
      `A client takes its whole limit of ${count(limit)} in the last millisecond of a window of ` +
      `${duration(windowMs)}, as much as it gets in the next millisecond, and from then on each unit the ` +
      "moment it may. The real algorithms decide, on a clock that is stepped. A fixed window lets twice the " +
      "limit through at once. A sliding window counter and a token bucket admit nearly as much in some " +
      "window, but spread over it: a bucket promises its burst and its rate, no more. Choose a segmented " +
      "window where the limit must hold in every window, a log where all of a strict limit must be usable " +
      "and limits are small, and a token bucket where bursts are welcome and the rate is what counts.",
  },
  "retry-storm": {
    heading: "Everybody comes back",
    textOf: ({ retryStorm }) => stormText(retryStorm),
  },
  "redis-lost": { heading: "Redis is lost", textOf: ({ redisLost }) => lossText(redisLost) },
};

function stormText({ clients, limit, lockoutMs, crowds, wholeSeconds }: RetryStorm): string {
  const short = wholeSeconds.find(({ lockoutS, jitter }) => lockoutS === 2 && jitter === 0.1);
  const spread = crowds.find(({ spreadMs }) => spreadMs > 0);
  return [
    `${count(clients)} clients share a limit of ${count(limit)} in ${duration(lockoutMs)}. They come at once, ` +
      "those who are denied wait as long as Retry-After tells them, and come back. Jitter lengthens the waits, " +
      "so that they come back over a longer time, for which they wait longer. The limit admits no more of " +
      "them: jitter only spares what is behind it, and the network, a burst.",
    "Retry-After has whole seconds only, rounded up, so that a crowd comes back in one group per second, and " +
      "jitter of less than a second is mostly lost.",
    short &&
      `After a lockout of ${short.lockoutS} s, ${percent(short.jitter)} of jitter leave ` +
        `${percent(short.meanPeakShare)} of a crowd together on average, and ` +
        `${percent(short.worstPeakShare)} in the worst case.`,
    spread &&
      "Rounding draws together who came apart, too: without jitter, of a crowd that first came over " +
        `${duration(spread.spreadMs)}, ${percent(spread.peakSecondShare)} come back within one second.`,
  ]
    .filter((sentence) => sentence !== undefined)
    .join(" ");
}

function lossText({ lostAtMs, backAtMs, gateway, peer }: RedisLost): string {
  return (
    `In the middle of a surge Redis is killed, and comes back empty after ${duration(backAtMs - lostAtMs)}. The ` +
    "matching service has capacity to spare here, so that what people see is the outage. Tidegate, with all " +
    "layers, goes on with counts of its isolate. Limits hold per isolate meanwhile: here there is one, and with " +
    "many of them more would pass, unless onFailure gives each a share. @upstash/ratelimit throws where Redis " +
    "refuses the connection. Its worker answers 500 here, as Hono does without a handler; an app may catch " +
    "the error and decide for itself. People tap again, so that more and more requests fail, and the service meets them when Redis is back. The slowest answer " +
    `took ${duration(gateway.duringLoss.slowestMs)} with Tidegate and ${duration(peer.duringLoss.slowestMs)} ` +
    "with the peer. Once Redis answers again, the last request that was sent and decided without it came " +
    `after ${duration(gateway.exactAgainMs)} with Tidegate, which waits before it tries Redis again, and ` +
    `after ${duration(peer.exactAgainMs)} with the peer, which always tries.`
  );
}
