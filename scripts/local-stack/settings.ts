import type { LocalStackOptions } from "./local-stack.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The options of `npm start`, from the environment. */
export function readSettings(environment: Environment): LocalStackOptions {
  function read(name: string, fallback: number, least: number, most: number): number {
    const text = environment[name] || `${fallback}`;
    const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new Error(`${name} takes a whole number from ${least} to ${most}, not "${text}"`);
  }

  const redisUrl = environment["REDIS_URL"] || undefined;
  if (redisUrl !== undefined && !(/^rediss?:\/\/./.test(redisUrl) && URL.canParse(redisUrl))) {
    // It may hold a password.
    throw new Error("REDIS_URL takes a redis:// or rediss:// address");
  }
  const token = environment["REDIS_REST_TOKEN"] || undefined;
  if (token !== undefined && !/^[!-~]+$/.test(token)) {
    throw new Error("REDIS_REST_TOKEN takes a token without spaces or line breaks");
  }
  const adminToken = environment["ADMIN_TOKEN"] || undefined;
  return {
    port: read("PORT", 8787, 0, 65_535),
    originPort: read("ORIGIN_PORT", 8788, 0, 65_535),
    bridgePort: read("REDIS_REST_PORT", 8789, 0, 65_535),
    token,
    adminToken,
    workers: read("WORKERS", 1, 1, 9),
    redisUrl,
  };
}
