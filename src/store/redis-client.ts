import type { Faults } from "../errors.ts";
import type { Environment } from "../runtime.ts";
import { restClient } from "./rest-client.ts";

/** What a store needs of a Redis client. */
export interface RedisClient {
  evalsha(sha1: string, keys: string[], args: string[]): Promise<unknown>;
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
}

/** Where a Redis is reached over HTTP, as Upstash's REST API. */
export interface RedisEndpoint {
  readonly url: string;
  readonly token: string;
}

const VARIABLES = [
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
  ["KV_REST_API_URL", "KV_REST_API_TOKEN"],
] as const;

/** A client for the Redis that an environment names, as Upstash and Vercel name it. */
export function redisFromEnvironment(
  environment: Environment,
  budget: number,
  faults: Faults,
): RedisClient | undefined {
  const [url, token] =
    VARIABLES.find(([name]) => environment[name] !== undefined && environment[name] !== "") ??
    VARIABLES[0];
  return createRedisClient(environment[url], environment[token], { url, token }, budget, faults);
}

/**
 * A client for an endpoint, checked.
 *
 * @param paths what faults call the two values
 * @param init further options of each request
 */
export function createRedisClient(
  url: unknown,
  token: unknown,
  paths: { readonly url: string; readonly token: string },
  budget: number,
  faults: Faults,
  init?: RequestInit,
): RedisClient | undefined {
  const isUrl =
    typeof url === "string" && /^https?:\/\/[^\s/?#]+\S*$/.test(url) && URL.canParse(url);
  if (!isUrl) {
    faults.add(
      paths.url,
      typeof url === "string" ? withoutCredentials(url) : url,
      'Give the HTTP address of the Redis REST API, "https://...", not a redis:// one.',
    );
  }
  const isToken = typeof token === "string" && /^[!-~]+$/.test(token);
  if (!isToken) {
    // What stands there may be most of a secret.
    const shown = token === undefined || token === "" ? token : "(hidden)";
    faults.add(
      paths.token,
      shown,
      "Give the token of the Redis REST API, without spaces or line breaks.",
    );
  }
  if (!isUrl || !isToken) return undefined;
  return restClient({ url, token }, budget, init);
}

/** A Redis address often has its password in it, in more than one place. */
function withoutCredentials(url: string): string {
  return url.replace(/^([a-z]*:\/\/).*@/is, "$1(hidden)@");
}
