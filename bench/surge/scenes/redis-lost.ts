import { max } from "d3-array";

import { nowMs } from "../clock.ts";
import type { Asked } from "../driver/records.ts";
import type { Second } from "../figures/figures.ts";
import { measure, type Run, secondsOf } from "../figures/measure.ts";
import type { Phases } from "../people/phases.ts";
import { type RunOptions, runSurge } from "../run/run.ts";
import { gatewaySetup, peerSetup, type Setup } from "../setups/setup.ts";

export interface LossOptions extends Pick<RunOptions, "seed" | "share" | "capacity"> {
  readonly phases: Phases;
  /** When Redis is killed, and when it is started again at the same address, in milliseconds after the run began. */
  readonly lostAtMs: number;
  readonly backAtMs: number;
}

/** A surge in whose middle Redis is lost, and comes back without any state. */
export interface RedisLost extends LossOptions {
  readonly gateway: Survived;
  /** `@upstash/ratelimit` with its bucket. */
  readonly peer: Survived;
}

/**
 * The outage as people saw it. Units admitted above the limit are not counted: a Redis that forgot everything starts with full
 * buckets, so that more than a bucket's worth is no fault.
 */
export interface Survived {
  readonly requests: number;
  readonly allowed: number;
  readonly denied: number;
  readonly failed: number;
  /** The requests sent while Redis was gone. */
  readonly duringLoss: {
    readonly sent: number;
    readonly allowed: number;
    readonly denied: number;
    readonly failed: number;
    /** Answered with 500, by the limiter: the API never does. */
    readonly failedByLimiter: number;
    /** The longest wait for an answer of any kind. */
    readonly slowestMs: number;
  };
  /** From when Redis answers again until the last request was sent whose answer Redis had no part in; 0 if none was. */
  readonly exactAgainMs: number;
  readonly seconds: readonly LossSecond[];
}

export interface LossSecond extends Second {
  /** Answered by the limiter without Redis: decided by itself, or failed. */
  readonly withoutRedis: number;
}

export async function redisLost(
  options: LossOptions,
  tell: (line: string) => void,
): Promise<RedisLost> {
  const gateway = await survive(gatewaySetup("with", options.capacity), options, tell);
  const peer = await survive(peerSetup("token-bucket"), options, tell);
  return { ...options, gateway, peer };
}

async function survive(
  setup: Setup,
  { lostAtMs, backAtMs, ...options }: LossOptions,
  tell: (line: string) => void,
): Promise<Survived> {
  tell(`${setup.name}: Redis is lost after ${lostAtMs / 1000} s, back at ${backAtMs / 1000} s`);
  let backMs = 0;
  const run = await runSurge(setup, {
    ...options,
    onProgress: () => {},
    events: [
      { atMs: lostAtMs, act: (redis) => redis.lose() },
      {
        atMs: backAtMs,
        async act(redis) {
          await redis.restart();
          backMs = nowMs();
        },
      },
    ],
  });
  return survivedOf(run, run.beginMs + lostAtMs, backMs);
}

const byLimiterAlone = ({ withoutRedis, status }: Asked) => withoutRedis || status === 500;

export function survivedOf(run: Run, lostMs: number, backMs: number): Survived {
  const { requests, allowed, denied, failed } = measure(run);
  const during = run.asked.filter(({ sentMs }) => sentMs >= lostMs && sentMs < backMs);
  const statusIs = (wanted: number) => during.filter(({ status }) => status === wanted).length;
  const lastMs = max(run.asked.filter(byLimiterAlone), ({ sentMs }) => sentMs) ?? 0;
  return {
    requests,
    allowed,
    denied,
    failed,
    duringLoss: {
      sent: during.length,
      allowed: statusIs(200),
      denied: statusIs(429),
      failed: during.length - statusIs(200) - statusIs(429),
      failedByLimiter: statusIs(500),
      slowestMs: max(during, ({ meantMs, endMs }) => endMs - meantMs) ?? 0,
    },
    exactAgainMs: Math.max(0, lastMs - backMs),
    seconds: secondsOf(run).map((second) =>
      Object.assign(second, { withoutRedis: countIn(second, run) }),
    ),
  };
}

/** In the second in which a request was meant to be sent. */
function countIn({ second }: Second, { asked, beginMs }: Run): number {
  return asked.filter(
    (each) => byLimiterAlone(each) && Math.floor((each.meantMs - beginMs) / 1000) === second,
  ).length;
}
