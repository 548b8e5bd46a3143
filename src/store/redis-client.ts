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
    typeof url === "string" &&
    /^https?:\/\/[^\s/?#@"']+(?:\/[^\s?#"']*)?$/.test(url) &&
    URL.canParse(url);
  if (!isUrl) {
    faults.add(
      paths.url,
      typeof url === "string" ? withoutSecrets(url) : url,
      'Give the HTTP address of the Redis REST API, "https://...", without user, password, query, spaces or quotes; not a redis:// one.',
    );
  }
  const isToken = typeof token === "string" && /^[!-~]+$/.test(token) && !/^["']/.test(token);
  if (!isToken) {
    // What stands there may be most of a secret.
    const shown = token === undefined || token === "" ? token : "(hidden)";
    faults.add(
      paths.token,
      shown,
      'Give the token of the Redis REST API, without "Bearer", quotes, spaces or line breaks.',
    );
  }
  if (!isUrl || !isToken) return undefined;
  return restClient({ url, token }, budget, init);
}

/** An address may carry a password or a token in more than one place, or be one that was mistaken for an address. */
function withoutSecrets(url: string): string {
  const isPlain = /^(?:[^@?#]{0,11}|[^@?#]*:(?:\/\/[^@?#]*|\d{1,5}\/?))$/.test(url);
  return isPlain ? url : `${/^[a-z]*:\/\//.exec(url) ?? ""}(hidden)`;
}
