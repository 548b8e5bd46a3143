import { Redis } from "@upstash/redis";
import { Redis as CloudflareRedis } from "@upstash/redis/cloudflare";
import { Redis as Redis128 } from "upstash-redis-1-28";
import { Redis as Redis134 } from "upstash-redis-1-34";
import { Redis as Redis136 } from "upstash-redis-1-36";
import { describe, expect, inject, test, vi } from "vitest";

import { client, createLimiter, fixedWindow } from "../../../src/index.ts";

export interface Endpoint {
  readonly url: string;
  readonly token: string;
}

function fromEnvironment({ url, token }: Endpoint) {
  vi.stubEnv("UPSTASH_REDIS_REST_URL", url);
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", token);
  try {
    return Redis.fromEnv();
  } finally {
    vi.unstubAllEnvs();
  }
}

/** As their users build them: with nothing but an address and a token, so with retries, and from 1.34 on with commands gathered into pipelines. */
export const UPSTASH_CLIENTS = {
  "new Redis()": (endpoint: Endpoint) => new Redis(endpoint),
  "Redis.fromEnv()": fromEnvironment,
  "new Redis() of /cloudflare": (endpoint: Endpoint) => new CloudflareRedis(endpoint),
  "Redis.fromEnv(env) of /cloudflare": ({ url, token }: Endpoint) =>
    CloudflareRedis.fromEnv({ UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token }),
  "new Redis() of 1.28": (endpoint: Endpoint) => new Redis128(endpoint),
  "new Redis() of 1.34": (endpoint: Endpoint) => new Redis134(endpoint),
  "new Redis() of 1.36": (endpoint: Endpoint) => new Redis136(endpoint),
};

/** Each client of each version decides in this runtime. */
export function upstashClients(runtime: string): void {
  describe.each([
    ["stock Redis", 0],
    ["Upstash", 1],
  ] as const)(`clients as built by default in ${runtime}, on %s`, (_dialect, at) => {
    test.for(Object.entries(UPSTASH_CLIENTS))(
      "%s decides, and again after its scripts are flushed",
      async ([, build]) => {
        const endpoint = { url: inject("flushedRestUrls")[at], token: inject("redisRestToken") };
        const failures: string[] = [];
        const limiter = createLimiter({
          redis: client(build(endpoint)),
          policies: [fixedWindow({ name: "default", limit: 3, window: "366d" })],
          timeout: "10s",
          denialCache: false,
          onStoreError: ({ message }) => failures.push(message),
        });
        const user = crypto.randomUUID();
        const reasons = [];
        for (let i = 0; i < 4; i++) {
          reasons.push((await limiter.limit(user)).reason);
          if (i === 1) {
            await fetch(endpoint.url, {
              method: "POST",
              headers: { authorization: `Bearer ${endpoint.token}` },
              body: JSON.stringify(["SCRIPT", "FLUSH"]),
            });
          }
        }
        expect(failures).toEqual([]);
        expect(reasons).toEqual(["allowed", "allowed", "allowed", "limited"]);
      },
    );
  });
}
