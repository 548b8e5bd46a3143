import { afterEach, beforeEach, expect, vi } from "vitest";

import { gatewayTo, generous } from "../support/gateway/gateway.ts";

/** The answer of health for a store that decides, on the Redis of this machine. */
export const OK = {
  status: "ok",
  store: "redis",
  dialect: "redis",
  version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
  breaker: "closed",
};

/** Stops the clock by which answers are reused, in each test of a file. */
export function stopClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
    // A store that fails is said in the log, too.
    vi.spyOn(console, "warn").mockReturnValue();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** A gateway that counts in a Redis, and its answers of health. */
export function gatewayOn(url: string, token = "test", variables: object = {}) {
  const ask = gatewayTo("http://127.0.0.1:1", generous, {
    STORE: "redis",
    UPSTASH_REDIS_REST_URL: url,
    UPSTASH_REDIS_REST_TOKEN: token,
    // A busy machine may take longer than the default.
    TIMEOUT: "10s",
    ...variables,
  });
  return async () => {
    const answer = await ask("/_tidegate/health");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    expect(answer.headers.get("Content-Type")).toBe("application/json");
    return [answer.status, await answer.json()];
  };
}
