import type { RequestOptions } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { send } from "../support/send.ts";
import { ASKED_REDIS } from "./asked-redis.ts";

/**
 * Milliseconds of the system's monotonic clock. All threads and processes of one machine share it, so that times of sending and
 * receiving can be compared.
 */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Resolves at a time of this clock, at once if it has passed. */
export async function until(atMs: number): Promise<void> {
  const waitMs = atMs - nowMs();
  if (waitMs > 0) await sleep(waitMs);
}

export interface Received {
  /** 0 where there was no answer. */
  readonly status: number;
  /** The wait that the answer told; an app comes back after a second where a denial tells none. */
  readonly retryAfterMs: number;
  readonly askedRedis: boolean;
}

export async function ask(url: string, options?: RequestOptions): Promise<Received> {
  try {
    const { statusCode = 0, headers } = await send(url, options);
    const retryAfterMs = Number(headers["retry-after"] ?? 1) * 1000;
    return { status: statusCode, retryAfterMs, askedRedis: ASKED_REDIS in headers };
  } catch {
    return { status: 0, retryAfterMs: 0, askedRedis: false };
  }
}
