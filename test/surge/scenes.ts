import type { Attacked } from "../../bench/surge/scenes/boundary-burst.ts";
import type { Deployed, DeployOptions } from "../../bench/surge/scenes/deploy-amnesia.ts";
import type { LossSecond, Survived } from "../../bench/surge/scenes/redis-lost.ts";
import type { Scenes } from "../../bench/surge/scenes/scenes.ts";

const DEPLOYS = { deploys: 3, everyMs: 2_000, requestsPerSecond: 60, limit: 40, windowMs: 10_000 };
const LOSS = {
  seed: 7,
  share: 0.5,
  capacity: 300,
  phases: { quietMs: 1_000, surgeMs: 8_000, afterMs: 1_000 },
  lostAtMs: 3_000,
  backAtMs: 6_000,
};

/** The scenes as a run may have them, with numbers that are all made up. */
export function madeUpScenes(): Scenes {
  const scenes = {
    denialLatency: {
      probes: 9,
      besidesPerSecond: 8,
      driverMs: 1,
      byRedis: { meanMs: 2, p95Ms: 3 },
      byIsolate: { meanMs: 0.5, p95Ms: 0.75 },
    },
    deployAmnesia: {
      ...DEPLOYS,
      redis: deployed(DEPLOYS, () => 40),
      perIsolate: deployed(DEPLOYS, (second) => 40 * (1 + Math.floor(second / 2))),
    },
    boundaryBurst: {
      limit: 100,
      windowMs: 10_000,
      algorithms: [
        attacked("fixed-window", 200, 200, 104),
        attacked("token-bucket", 199, 109, 88),
        attacked("sliding-window-log", 100, 100, 7_256),
        attacked("segmented-window", 100, 100, 105),
      ],
    },
    retryStorm: {
      clients: 100,
      limit: 20,
      lockoutMs: 20_000,
      crowds: [crowd(0, 0, 1), crowd(0.1, 0, 2), crowd(0.5, 0, 10), crowd(0, 1_500, 2)],
      wholeSeconds: [{ lockoutS: 2, jitter: 0.1, meanPeakShare: 0.875, worstPeakShare: 1 }],
    },
    redisLost: { ...LOSS, gateway: survived("denied"), peer: survived("failed") },
  };
  return scenes;
}

function deployed(
  { deploys, everyMs }: DeployOptions,
  inWindowAt: (second: number) => number,
): Deployed {
  const seconds = Array.from({ length: 9 }, (_, second) => second);
  return {
    requests: 480,
    admitted: inWindowAt(8),
    denied: 480 - inWindowAt(8),
    failed: 0,
    admittedInWorstWindow: inWindowAt(8),
    deploysAtMs: Array.from({ length: deploys }, (_, i) => (i + 1) * everyMs + 0.25),
    steps: seconds.map((second) => ({
      atMs: (second + 1) * 1000,
      admitted: 5,
      denied: 55,
      failed: 0,
      inWindow: inWindowAt(second),
    })),
  };
}

function attacked(
  algorithm: Attacked["algorithm"],
  admittedInWorstWindow: number,
  admittedInWorstTenth: number,
  bytesPerKey: number,
): Attacked {
  return {
    algorithm,
    admittedInWorstWindow,
    worstWindow: admittedInWorstWindow / 100,
    admittedInWorstTenth,
    stated: { commandsOfAllow: 3, commandsOfDenial: 2, bytesPerKey },
    moments: [{ atMs: -1, admitted: 100, total: 100 }],
  };
}

/** The 80 denied clients come back in groups of the same size, a second apart. */
function crowd(jitter: number, spreadMs: number, groups: number) {
  const arrivals = Array.from({ length: 20 + groups * 20 }, (_, bin) => ({
    atMs: (bin - 20) * 50,
    arrived: bin >= 20 && bin % 20 === 7 ? 80 / groups : 0,
  }));
  return {
    jitter,
    spreadMs,
    denied: 80,
    admittedOnReturn: 20,
    failed: 0,
    peak: 80 / groups,
    peakShare: 1 / groups,
    peakSecondShare: 1 / groups,
    meanWaitMs: 20_000 * (1 + jitter / 2),
    arrivals,
  };
}

/** The answers that people get while Redis is gone. */
function survived(meanwhile: "denied" | "failed"): Survived {
  const seconds = Array.from({ length: 10 }, (_, second): LossSecond => {
    const lost = second >= 3 && second < 6;
    return {
      second,
      sent: 50,
      allowed: lost ? 0 : 50,
      denied: 0,
      failed: 0,
      ...(lost && { [meanwhile]: 50 }),
      servedP50Ms: lost ? null : 30,
      servedP99Ms: lost ? null : 45,
      waiting: 0,
      withoutRedis: lost ? 50 : 0,
    };
  });
  const none = { denied: 0, failed: 0, [meanwhile]: 150 };
  return {
    requests: 500,
    allowed: 350,
    ...none,
    duringLoss: {
      sent: 150,
      allowed: 0,
      ...none,
      failedByLimiter: none.failed,
      slowestMs: 60 - none.failed / 10,
    },
    exactAgainMs: 250 + none.denied,
    seconds,
  };
}
