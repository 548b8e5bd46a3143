import type { RequestListener } from "node:http";

import { Redis } from "ioredis";
import { inject, onTestFinished, vi } from "vitest";

import { administer } from "../../../src/admin/administer.ts";
import type { Administered } from "../../../src/admin/administered.ts";
import { createGateway } from "../../../src/gateway/gateway.ts";
import { type LiveKeys, liveKeys } from "../../../src/store/control/live-keys.ts";
import { quota, startOrigin } from "../gateway/gateway.ts";

/** A gateway over a real Redis that reads live rules, and the functions that write them there. */
export interface LiveGateway {
  readonly administered: Administered;
  readonly redis: Redis;
  readonly keys: LiveKeys;
  /** How a client with this key is answered. */
  ask(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Writes a document as a publication does. */
  write(document: unknown, version?: number): Promise<void>;
  /** Writes an entry as a single call does. */
  writeEntry(field: string, entry: unknown): Promise<void>;
  /** Writes a document, and reads it. */
  publish(document: unknown, version?: number): Promise<void>;
  /** Writes an entry, and reads it. */
  put(field: string, entry: unknown): Promise<void>;
}

/** The deployed rules: `/api/*` has a limit of 5 per value of `x-user-id`. */
export const DEPLOYED = [
  { path: "/api/*", partition: ["header:x-user-id"], policies: [quota("api", 5)] },
];

/** 44 characters of base64, drawn at random. */
export const ADMIN_TOKEN = "pS0qYh6mLk2VxZr9Tn4Jd8WcGf1Bu7Ea3Ri5Oo0Hs=";

/** The variables of a gateway with deployed rules and the admin API, on this run's Redis. */
export function liveVariables(origin: string, prefix: string) {
  return {
    ORIGIN: origin,
    UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
    UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
    PREFIX: prefix,
    TIMEOUT: "10s",
    CLIENT_IP: "cloudflare",
    RULES: DEPLOYED,
    ADMIN_TOKEN,
    ADMIN_HOST: "any",
  };
}

export async function startLiveGateway(
  variables: object = {},
  listener?: RequestListener,
): Promise<LiveGateway> {
  const origin = await startOrigin(listener);
  const prefix = crypto.randomUUID();
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const keys = liveKeys(prefix);
  let administered: Administered | undefined;
  const gateway = createGateway(
    { ...liveVariables(origin.url, prefix), ...variables },
    {
      admin(config, rules) {
        administered = administer(config, rules);
        return undefined;
      },
    },
  );
  let revision = 0;

  const live: LiveGateway = {
    administered: administered!,
    redis,
    keys,
    async ask(path, headers = {}) {
      const request = new Request(`http://gateway.example${path}`, { headers });
      if (!request.headers.has("cf-connecting-ip"))
        request.headers.set("cf-connecting-ip", "192.0.2.1");
      return gateway.fetch(request);
    },
    async write(document, version = 1) {
      revision++;
      const text = typeof document === "string" ? document : JSON.stringify(document);
      await redis.hset(keys.state, { revision, version, publishedAt: Date.now(), document: text });
    },
    async writeEntry(field, entry) {
      revision++;
      await redis
        .multi()
        .hset(keys.entries, field, JSON.stringify({ entry, at: Date.now(), by: "admin:0" }))
        .hset(keys.state, { revision })
        .exec();
    },
    async publish(...written) {
      await live.write(...written);
      await administered!.refresh();
    },
    async put(...written) {
      await live.writeEntry(...written);
      await administered!.refresh();
    },
  };
  return live;
}

/** The limit that a client with this id sees, and its remaining units. */
export async function quotaOf(gateway: LiveGateway, user: string): Promise<string> {
  const { headers } = await gateway.ask("/api/x", { "x-user-id": user });
  return `${/q=(\d+)/.exec(headers.get("ratelimit-policy") ?? "")?.[1]}, ${/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]} left`;
}

/** The lines that a gateway writes into its log from now on, besides that the Redis of the tests keeps nothing. */
export function logLines(): () => readonly string[] {
  const warn = vi
    .spyOn(console, "warn")
    .mockReset()
    .mockImplementation(() => {});
  const isOfTests = (line: string) => line.includes("without an append-only file");
  return () => warn.mock.calls.map(([line]) => String(line)).filter((line) => !isOfTests(line));
}

/** The deployed rules with another limit, as a document. */
export const limited = (limit: number) => ({
  rules: [{ ...DEPLOYED[0], policies: [quota("api", limit)] }],
});
