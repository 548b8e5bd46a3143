import type { BoundaryBurst } from "../scenes/boundary-burst.ts";
import type { DenialLatency } from "../scenes/denial-latency.ts";
import type { DeployAmnesia } from "../scenes/deploy-amnesia.ts";
import type { RedisLost, Survived } from "../scenes/redis-lost.ts";
import type { RetryStorm } from "../scenes/retry-storm.ts";
import type { Scenes } from "../scenes/scenes.ts";
import { count, duration, ms, percent } from "./numbers.ts";
import { strictest, togetherCrowds, weakest } from "./scene-figures.ts";

type Row = [scene: string, withTidegate: string, besideIt: string];

/** The figures of the scenes that were played, with Tidegate and with its alternative, below a heading. */
export function sceneTable(scenes: Partial<Scenes>): string[][] {
  const { denialLatency, deployAmnesia, boundaryBurst, retryStorm, redisLost } = scenes;
  return [
    ["scene", "with Tidegate", "beside it"],
    ...(denialLatency ? [latencyRow(denialLatency)] : []),
    ...(deployAmnesia ? [deployRow(deployAmnesia)] : []),
    ...(boundaryBurst ? [burstRow(boundaryBurst)] : []),
    ...(retryStorm ? stormRows(retryStorm) : []),
    ...(redisLost ? lossRows(redisLost) : []),
  ];
}

function latencyRow({ byIsolate, byRedis }: DenialLatency): Row {
  return [
    "a 429 from end to end: mean",
    `${ms(byIsolate.meanMs)}, known to the isolate`,
    `${ms(byRedis.meanMs)}, with a call of Redis`,
  ];
}

function deployRow({ deploys, limit, redis, perIsolate }: DeployAmnesia): Row {
  return [
    `${count(deploys)} deploys: admitted in the worst window, with a limit of ${count(limit)}`,
    count(redis.admittedInWorstWindow),
    `${count(perIsolate.admittedInWorstWindow)}, counted per isolate`,
  ];
}

function burstRow(burst: BoundaryBurst): Row {
  const [weak, strict] = [weakest(burst), strictest(burst)];
  return [
    `a burst at a boundary: admitted in the worst window, with a limit of ${count(burst.limit)}`,
    `${count(strict.admittedInWorstWindow)}, \`${strict.algorithm}\``,
    `${count(weak.admittedInWorstWindow)}, \`${weak.algorithm}\``,
  ];
}

function stormRows(storm: RetryStorm): Row[] {
  const crowds = togetherCrowds(storm);
  const [plain, most] = [crowds[0]!, crowds.at(-1)!];
  return [
    [
      `a retry storm after ${duration(storm.lockoutMs)}: come back in the fullest second`,
      `${percent(most.peakSecondShare)}, \`retryJitter: ${most.jitter}\``,
      `${percent(plain.peakSecondShare)}, no jitter`,
    ],
    ["the same: mean wait", duration(most.meanWaitMs), duration(plain.meanWaitMs)],
  ];
}

function lossRows({ lostAtMs, backAtMs, gateway, peer }: RedisLost): Row[] {
  return [
    [
      `Redis lost for ${duration(backAtMs - lostAtMs)}: failed meanwhile`,
      failedOf(gateway),
      `${failedOf(peer)}, @upstash/ratelimit`,
    ],
    ["the same: slowest answer", ms(gateway.duringLoss.slowestMs), ms(peer.duringLoss.slowestMs)],
    ["the same: Redis decides again after", ms(gateway.exactAgainMs), ms(peer.exactAgainMs)],
  ];
}

function failedOf({ duringLoss }: Survived): string {
  return `${count(duringLoss.failed)} of ${count(duringLoss.sent)}`;
}
