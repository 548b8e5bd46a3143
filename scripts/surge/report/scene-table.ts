import type { Scenes } from "../scenes/scenes.ts";
import { count, duration, ms, percent } from "./numbers.ts";
import { strictest, togetherCrowds, weakest } from "./scene-figures.ts";

/** The scenes' figures, with Tidegate and with what stands beside it. The first row has the headings. */
export function sceneTable(scenes: Scenes): string[][] {
  const {
    denialLatency: denial,
    deployAmnesia: deploy,
    boundaryBurst: burst,
    retryStorm: storm,
    redisLost: loss,
  } = scenes;
  const [weak, strict] = [weakest(burst), strictest(burst)];
  const crowds = togetherCrowds(storm);
  const [plain, most] = [crowds[0]!, crowds.at(-1)!];
  const { gateway, peer } = loss;
  const failed = ({ duringLoss }: typeof gateway) =>
    `${count(duringLoss.failed)} of ${count(duringLoss.sent)}`;
  return [
    ["scene", "with Tidegate", "beside it"],
    [
      "a 429 from end to end: mean",
      `${ms(denial.byIsolate.meanMs)}, known to the isolate`,
      `${ms(denial.byRedis.meanMs)}, with a call of Redis`,
    ],
    [
      `${count(deploy.deploys)} deploys: admitted in the worst window, with a limit of ${count(deploy.limit)}`,
      count(deploy.redis.admittedInWorstWindow),
      `${count(deploy.perIsolate.admittedInWorstWindow)}, counted per isolate`,
    ],
    [
      `a burst at a boundary: admitted in the worst window, with a limit of ${count(burst.limit)}`,
      `${count(strict.admittedInWorstWindow)}, \`${strict.algorithm}\``,
      `${count(weak.admittedInWorstWindow)}, \`${weak.algorithm}\``,
    ],
    [
      `a retry storm after ${duration(storm.lockoutMs)}: come back in the fullest second`,
      `${percent(most.peakSecondShare)}, \`retryJitter: ${most.jitter}\``,
      `${percent(plain.peakSecondShare)}, no jitter`,
    ],
    ["the same: mean wait", duration(most.meanWaitMs), duration(plain.meanWaitMs)],
    [
      `Redis lost for ${duration(loss.backAtMs - loss.lostAtMs)}: failed meanwhile`,
      failed(gateway),
      `${failed(peer)}, @upstash/ratelimit`,
    ],
    ["the same: slowest answer", ms(gateway.duringLoss.slowestMs), ms(peer.duringLoss.slowestMs)],
    ["the same: Redis decides again after", ms(gateway.exactAgainMs), ms(peer.exactAgainMs)],
  ];
}
