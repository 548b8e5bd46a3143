import { type BoundaryBurst, boundaryBurst } from "./boundary-burst.ts";
import { type DenialLatency, denialLatency, type DenialOptions } from "./denial-latency.ts";
import { type DeployAmnesia, deployAmnesia, type DeployOptions } from "./deploy-amnesia.ts";
import { type LossOptions, type RedisLost, redisLost } from "./redis-lost.ts";
import { type RetryStorm, retryStorm, type StormOptions } from "./retry-storm.ts";

/** The results of the scenes beside the surge. */
export interface Scenes {
  readonly denialLatency: DenialLatency;
  readonly deployAmnesia: DeployAmnesia;
  readonly boundaryBurst: BoundaryBurst;
  readonly retryStorm: RetryStorm;
  readonly redisLost: RedisLost;
}

export type SceneName = keyof Scenes;

/** As long as a scene's figures need, or as it takes to see that all of it runs. */
export type Size = "full" | "short";

export interface SceneOptions extends Pick<LossOptions, "seed" | "share" | "capacity"> {
  readonly size: Size;
  readonly tell: (line: string) => void;
}

const DENIALS: Record<Size, DenialOptions> = {
  full: { probes: 400, besidesPerSecond: 300 },
  short: { probes: 20, besidesPerSecond: 50 },
};
const DEPLOYS: Record<Size, DeployOptions> = {
  full: { deploys: 8, everyMs: 2_500, requestsPerSecond: 100, limit: 50, windowMs: 10_000 },
  short: { deploys: 2, everyMs: 1_500, requestsPerSecond: 50, limit: 20, windowMs: 10_000 },
};
/** 20 s, because a tenth of less is hardly a second, and `Retry-After` has no parts of one. */
const STORM: Record<Size, StormOptions> = {
  full: { clients: 1_000, limit: 50, lockoutMs: 20_000 },
  short: { clients: 100, limit: 10, lockoutMs: 2_000 },
};
const LOSS: Record<Size, Pick<LossOptions, "phases" | "lostAtMs" | "backAtMs">> = {
  full: {
    phases: { quietMs: 1_000, surgeMs: 11_000, afterMs: 1_000 },
    lostAtMs: 4_000,
    backAtMs: 8_000,
  },
  short: {
    phases: { quietMs: 500, surgeMs: 4_500, afterMs: 500 },
    lostAtMs: 1_500,
    backAtMs: 3_000,
  },
};
/** The peer has no ceiling: with so much capacity, people see the outage and not the surge's overload. */
const AMPLE = 4;

export const SCENES: {
  readonly [Name in SceneName]: (options: SceneOptions) => Promise<Scenes[Name]>;
} = {
  denialLatency: ({ size, tell }) => denialLatency(DENIALS[size], tell),
  deployAmnesia: ({ size, tell }) => deployAmnesia(DEPLOYS[size], tell),
  boundaryBurst: () => boundaryBurst(),
  retryStorm: ({ size, tell }) => retryStorm(STORM[size], tell),
  redisLost: ({ size, tell, seed, share, capacity }) =>
    redisLost({ ...LOSS[size], seed, share, capacity: AMPLE * capacity }, tell),
};
