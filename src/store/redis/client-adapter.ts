import type { Faults } from "../../options/faults.ts";
import { IOREDIS, NODE_REDIS, REDIS_CLIENT } from "../../options/messages.ts";
import { onWorkers } from "../../runtime/environment.ts";
import { report } from "../../runtime/log.ts";
import { withOwnErrors } from "./client-errors.ts";
import type { ClientSettings, RedisClient, ScriptClient } from "./client.ts";
import { dialectAt } from "./dialect.ts";
import { createRedisClient } from "./endpoint.ts";

/** The properties of a client that are read; reading them sends no call. */
interface SuppliedClient extends Partial<RedisClient> {
  /** The HTTP side of a client of @upstash/redis. */
  readonly client?: {
    readonly baseUrl?: unknown;
    readonly headers?: { readonly authorization?: unknown };
    readonly options?: { readonly backend?: unknown; readonly cache?: unknown };
    readonly retry?: { readonly attempts?: number };
  };
  /** Only ioredis has this method. */
  readonly defineCommand?: unknown;
  /** Only node-redis has this spelling. */
  readonly evalSha?: unknown;
}

/**
 * Adapts a client that the caller built.
 *
 * A client of @upstash/redis retries and, from 1.34 on, gathers commands of different requests: a lost reply would be
 * charged again, and on Workers the request that sends them may be gone before the others have their replies. So its
 * address and token are read, and decisions are sent by the transport that `{ url, token }` gets. Its options `backend`
 * (Fastly) and `cache` still apply. The others do not affect a decision: it is a write, which every database takes on
 * its primary, so it needs no sync token of `readYourWrites`; and middleware of `redis.use()` does not see decisions.
 */
export function adaptClient(
  redis: object,
  settings: ClientSettings,
  faults: Faults,
): ScriptClient | undefined {
  const supplied = redis as SuppliedClient;
  const { client } = supplied;
  const authorization = client?.headers?.authorization;
  if (typeof client?.baseUrl === "string" && typeof authorization === "string") {
    const token = authorization.replace(/^Bearer (undefined$|null$)?/, "");
    const { backend, cache } = client.options ?? {};
    return createRedisClient(
      client.baseUrl,
      token,
      { url: "redis.url", token: "redis.token" },
      settings,
      faults,
      // An older workerd throws for any `cache`, and caches no POST.
      { ...(backend !== undefined && { backend }), ...(!onWorkers() && { cache }) } as RequestInit,
    );
  }
  const { evalsha, eval: evaluate, defineCommand, evalSha } = supplied;
  const refused =
    typeof defineCommand === "function"
      ? IOREDIS
      : typeof evalSha === "function"
        ? NODE_REDIS
        : typeof evalsha !== "function" || typeof evaluate !== "function"
          ? REDIS_CLIENT
          : undefined;
  if (refused !== undefined) {
    faults.add("redis", "(an object)", refused);
    return undefined;
  }
  if ((client?.retry?.attempts ?? 0) > 0) {
    report(
      "The Redis client retries: a request whose reply is lost is charged again. Build it with retry: { retries: 0 }, or give { url, token }.",
    );
  }
  return {
    client: withOwnErrors(supplied as RedisClient),
    dialect: dialectAt("", settings.dialect),
  };
}

/** A client as the option `redis`, such as `new Redis()` of @upstash/redis, in place of an address. */
export const clients = { open: adaptClient };
