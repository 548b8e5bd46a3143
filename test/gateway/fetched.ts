import { afterEach, beforeEach, type Mock, vi } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";

export interface Fetched {
  /** Every call of `fetch` that went to the origin. */
  readonly origin: Mock<(request: Request, init: RequestInit) => Promise<Response>>;
  /** Every call of `fetch` that went to Redis: the address, and its command. */
  readonly redis: Mock<(url: string, command: readonly string[]) => Promise<Response>>;
  /** A gateway to https://origin.example, and how to ask it. */
  gateway(
    variables: object,
    platform?: Parameters<typeof createGateway>[1],
  ): (path: string, init?: RequestInit) => Promise<Response>;
}

export const VARIABLES = {
  ORIGIN: "https://origin.example",
  CLIENT_IP: "cloudflare",
  UPSTASH_REDIS_REST_URL: "https://redis.example",
  UPSTASH_REDIS_REST_TOKEN: "secret",
  RULES: [
    {
      path: "/limited/*",
      policies: [{ algorithm: "fixed-window", name: "p", limit: 10, window: "1d" }],
    },
  ],
};

/**
 * Puts a `fetch` in the place of the real one that notes the gateway's requests to the origin and to Redis. The test file has to
 * mock the way to the origin that Node has, which is no `fetch`.
 */
export function useFetched(): Fetched {
  const origin: Fetched["origin"] = vi.fn();
  const redis: Fetched["redis"] = vi.fn();
  beforeEach(() => {
    // No time passes, however long a machine stalls.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
    origin.mockReset().mockImplementation(async () => new Response("origin"));
    redis
      .mockReset()
      .mockImplementation(async () => Response.json({ result: [1.8e15, 1, 5, 0, 0] }));
    vi.stubGlobal("fetch", (asked: Request | string, init: RequestInit) =>
      typeof asked === "string"
        ? redis(asked, JSON.parse(init.body as string) as string[])
        : origin(asked, init),
    );
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  return {
    origin,
    redis,
    gateway(variables, platform) {
      const gateway = createGateway({ ...VARIABLES, ...variables }, platform);
      return async (path, init) =>
        gateway.fetch(new Request(`http://gateway.example${path}`, init));
    },
  };
}
