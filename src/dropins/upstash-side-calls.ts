import { setRecent } from "../runtime/lru.ts";
import { monotonicNow } from "../runtime/time.ts";
import type { RedisClient } from "../store/redis/client.ts";

/** How long an override of the limit, and a value of the deny list, are taken as read. */
const READ_EVERY_MS = 1_000;
const DENIED_FOR_MS = 60_000;
const MAX_DENIED = 1_000;

/** Buckets of an hour, kept for as long as the dashboard shows. */
const BUCKET_MS = 3_600_000;
const KEPT_SECONDS = 90 * 86_400;

const GET = "return redis.call('GET', KEYS[1])";
const SET = "return redis.call('SET', KEYS[1], ARGV[1])";
const DEL = "return redis.call('DEL', KEYS[1])";
const IN_SET = "return redis.call('SMISMEMBER', KEYS[1], unpack(ARGV))";
const COUNT =
  "redis.call('ZINCRBY', KEYS[1], 1, ARGV[1]) return redis.call('EXPIRE', KEYS[1], ARGV[2])";

/** Calls of Redis besides decisions, under the keys of @upstash/ratelimit, so that its dashboard goes on. */
export interface SideCalls {
  /** The override, read at most once a second; the last one where Redis does not answer. */
  currentOverride(): Promise<number | undefined>;
  readOverride(): Promise<number | undefined>;
  writeOverride(limit: number | undefined): Promise<void>;
  /** The first of the values that is known to be denied, without a call. */
  knownDenied(values: readonly string[]): string | undefined;
  /** The first of the values that the deny list has. None where Redis does not answer. */
  findDenied(values: readonly string[]): Promise<string | undefined>;
  count(event: object): Promise<void>;
}

type Evaluate = Pick<RedisClient, "eval">;

export function createSideCalls(redis: Evaluate, prefix: string): SideCalls {
  const overrideKey = `${prefix}:dynamic:global`;
  const denied = new Map<string, number>();
  let override: number | undefined;
  let readAtMs = -Infinity;

  async function readOverride(): Promise<number | undefined> {
    const found = await redis.eval(GET, [overrideKey], []);
    override = found === null || found === undefined ? undefined : Number(found);
    readAtMs = monotonicNow();
    return override;
  }

  const inSet = async (values: readonly string[]) =>
    (await redis.eval(IN_SET, [`${prefix}:denyList:all`], [...values])) as readonly unknown[];

  return {
    readOverride,

    async currentOverride() {
      if (monotonicNow() - readAtMs < READ_EVERY_MS) return override;
      return readOverride().catch(() => override);
    },

    async writeOverride(limit) {
      await (limit === undefined
        ? redis.eval(DEL, [overrideKey], [])
        : redis.eval(SET, [overrideKey], [String(limit)]));
      override = limit;
      readAtMs = monotonicNow();
    },

    knownDenied: (values) => values.find((value) => (denied.get(value) ?? 0) > monotonicNow()),

    async findDenied(values) {
      const found = await inSet(values).catch(() => []);
      const value = values.find((_, i) => Number(found[i]) === 1);
      if (value !== undefined) setRecent(denied, value, monotonicNow() + DENIED_FOR_MS, MAX_DENIED);
      return value;
    },

    async count(event) {
      const hour = Math.floor(Date.now() / BUCKET_MS) * BUCKET_MS;
      const member = JSON.stringify(event);
      await redis.eval(COUNT, [`${prefix}:events:${hour}`], [member, String(KEPT_SECONDS)]);
    },
  };
}
