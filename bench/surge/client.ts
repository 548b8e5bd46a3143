import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";

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

/** The field by which a denial of `tellsCalls` says that Redis had a part in it. */
const ASKED_REDIS = "x-asked-redis";

export interface Received {
  /** 0 where there was no answer. */
  readonly status: number;
  /** The wait that the answer told; an app comes back after a second where a denial tells none. */
  readonly retryAfterMs: number;
  readonly askedRedis: boolean;
}

export async function send(url: string, init?: RequestInit): Promise<Received> {
  try {
    const response = await fetch(url, init);
    await response.arrayBuffer();
    const { status, headers } = response;
    const retryAfterMs = Number(headers.get("retry-after") ?? 1) * 1000;
    return { status, retryAfterMs, askedRedis: headers.has(ASKED_REDIS) };
  } catch {
    return { status: 0, retryAfterMs: 0, askedRedis: false };
  }
}

type Fetch = (request: Request, env: object, context: object) => Promise<Response>;

/** The same worker, whose denials say whether they called the store. */
export function tellsCalls(worker: { readonly fetch: Fetch }): { readonly fetch: Fetch } {
  const requests = new AsyncLocalStorage<{ called: boolean }>();
  const call = globalThis.fetch;
  globalThis.fetch = (...parameters) => {
    const request = requests.getStore();
    if (request) request.called = true;
    return call(...parameters);
  };
  return {
    fetch: (...parameters) => {
      const noted = { called: false };
      return requests.run(noted, async () => {
        const response = await worker.fetch(...parameters);
        if (noted.called && response.status === 429) response.headers.set(ASKED_REDIS, "1");
        return response;
      });
    },
  };
}
