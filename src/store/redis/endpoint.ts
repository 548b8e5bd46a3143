import type { Faults } from "../../options/faults.ts";
import {
  REDIS_TOKEN,
  REDIS_TOKEN_VARIABLE,
  REDIS_URL,
  REDIS_VARIABLE,
} from "../../options/messages.ts";
import type { Environment } from "../../runtime/environment.ts";
import type { ClientSettings, RedisEndpoint, ScriptClient } from "./client.ts";
import { dialectAt } from "./dialect.ts";
import { restClient } from "./rest.ts";

const VARIABLES = [
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
  ["KV_REST_API_URL", "KV_REST_API_TOKEN"],
] as const;

/** Whether a value is missing or blank. */
function isBlank(value: unknown): boolean {
  return value === undefined || (typeof value === "string" && value.trim() === "");
}

/** A client for the Redis in the environment's variables, with Upstash's or Vercel's names. */
export function redisFromEnvironment(
  environment: Environment,
  settings: ClientSettings,
  faults: Faults,
): ScriptClient | undefined {
  const [url, token] = variablesOf(environment);
  const paths = { url, token, areVariables: true };
  return createRedisClient(environment[url], environment[token], paths, settings, faults);
}

/**
 * The endpoint in the environment's variables, unchecked. A value that is no text becomes empty; it is reported
 * elsewhere.
 */
export function endpointIn(environment: Environment): RedisEndpoint {
  const [url, token] = variablesOf(environment);
  return { url: textOf(environment[url]), token: textOf(environment[token]) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function variablesOf(environment: Environment): (typeof VARIABLES)[number] {
  return VARIABLES.find(([name]) => !isBlank(environment[name])) ?? VARIABLES[0];
}

/**
 * Checks an endpoint and makes a client for it; `undefined` after a fault.
 *
 * @param paths the paths of both values in faults; whether they are variables
 * @param init further options of every request
 */
export function createRedisClient(
  url: unknown,
  token: unknown,
  paths: { readonly url: string; readonly token: string; readonly areVariables?: boolean },
  { timeoutMs, dialect: configured }: ClientSettings,
  faults: Faults,
  init?: RequestInit,
): ScriptClient | undefined {
  const isMissing = (value: unknown) => paths.areVariables === true && isBlank(value);
  const isUrl =
    typeof url === "string" &&
    /^https?:\/\/[^\s/?#@"']+(?:\/[^\s?#"']*)?$/.test(url) &&
    URL.canParse(url);
  if (!isUrl) {
    faults.add(
      paths.url,
      typeof url === "string" ? withoutSecrets(url) : url,
      isMissing(url) ? REDIS_VARIABLE : REDIS_URL,
    );
  }
  const isToken = typeof token === "string" && /^[!-~]+$/.test(token) && !/^["']/.test(token);
  if (!isToken) {
    // The value may be most of a secret.
    const shown = isBlank(token) ? token : "(hidden)";
    faults.add(paths.token, shown, isMissing(token) ? REDIS_TOKEN_VARIABLE : REDIS_TOKEN);
  }
  if (!isUrl || !isToken) return undefined;
  const dialect = dialectAt(url, configured);
  return {
    client: restClient({ url, token }, timeoutMs, init, configured ? undefined : dialect),
    dialect,
  };
}

/** Hides an address that may contain a password or a token, or that may be a token itself. */
function withoutSecrets(url: string): string {
  const isPlain = /^(?:[^@?#]{0,11}|[^@?#]*:(?:\/\/[^@?#]*|\d{1,5}\/?))$/.test(url);
  return isPlain ? url : `${/^[a-z]*:\/\//.exec(url) ?? ""}(hidden)`;
}
