/**
 * Addresses that public lists name, in the deny list of a `Ratelimit` with `enableProtection`.
 *
 * @module
 */

import { parseAddress } from "../partition/ip-address.ts";
import type { RedisClient } from "../store/redis/client.ts";

/** The addresses of 30 public lists. `3.txt` has those that at least three lists name. The files are made anew each day. */
const LISTS = "https://raw.githubusercontent.com/stamparm/ipsum/master/levels";
const DAY_MS = 86_400_000;
/** The lists are complete by two in the morning, UTC. */
const COMPLETE_AT_MS = 2 * 3_600_000;

/** Enough for megabytes over a slow line. A server that falls silent must not hold its caller for ever. */
const TIMEOUT_MS = 20_000;

/** Puts new addresses in place of the old ones. An address that a person has put into the deny list stays there. */
const REPLACE = `
redis.call('SDIFFSTORE', KEYS[1], KEYS[1], KEYS[2])
redis.call('DEL', KEYS[2])
for i = 2, #ARGV, 1000 do
  redis.call('SADD', KEYS[2], unpack(ARGV, i, math.min(i + 999, #ARGV)))
end
redis.call('SDIFFSTORE', KEYS[2], KEYS[2], KEYS[1])
redis.call('SUNIONSTORE', KEYS[1], KEYS[1], KEYS[2])
return redis.call('SET', KEYS[3], 'valid', 'PX', ARGV[1])`;

const REMOVE = `
redis.call('SDIFFSTORE', KEYS[1], KEYS[1], KEYS[2])
redis.call('DEL', KEYS[2])
return redis.call('SET', KEYS[3], 'disabled')`;

type Evaluate = Pick<RedisClient, "eval">;

/**
 * Puts the addresses that enough public lists name into the deny list of a prefix, in place of those of the last update. Call
 * it once a day: a `Ratelimit` never downloads them.
 *
 * @param threshold how many of the 30 lists must name an address. Range: 1 to 8
 * @param ttl milliseconds until the status says that the addresses are old. Default: until two in the morning, UTC
 * @throws Error for another threshold, or if no addresses can be fetched within 20 s; then the deny list stays as it is
 */
export async function updateIpDenyList(
  redis: Evaluate,
  prefix: string,
  threshold: number,
  ttl: number = DAY_MS - ((Date.now() - COMPLETE_AT_MS) % DAY_MS),
): Promise<void> {
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > 8) {
    throw new Error(`The threshold must be a whole number from 1 to 8, not ${threshold}.`);
  }
  const response = await fetch(`${LISTS}/${threshold}.txt`, {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`The addresses cannot be fetched: status ${response.status}.`);
  // Anything else that a file of strangers has, such as the code of a country, would deny as well.
  const addresses = (await response.text()).split("\n").filter(parseAddress);
  if (addresses.length === 0) throw new Error("The answer has no addresses.");
  await redis.eval(REPLACE, keysOf(prefix), [String(ttl), ...addresses]);
}

/** Takes the addresses of `updateIpDenyList()` out of the deny list of a prefix. */
export async function disableIpDenyList(redis: Evaluate, prefix: string): Promise<void> {
  await redis.eval(REMOVE, keysOf(prefix), []);
}

const keysOf = (prefix: string): string[] => [
  `${prefix}:denyList:all`,
  `${prefix}:denyList:ipDenyList`,
  `${prefix}:ipDenyListStatus`,
];
