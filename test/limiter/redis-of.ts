import { clientWithClock } from "../support/redis-with-clock.ts";

interface RestRedis {
  readonly url: string;
  readonly token: string;
}

/** Redis over HTTP, whose scripts read this clock. */
export function redisOf({ url, token }: RestRedis, nowUs: () => number) {
  return clientWithClock(async (script, keys, args) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(["EVAL", script, keys.length, ...keys, ...args]),
    });
    const { result, error } = (await response.json()) as { result?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return result;
  }, nowUs);
}
