import type { Redis } from "ioredis";

import type { Limiter } from "../../src/decide/limiter.ts";
import { EVERY_FEATURE } from "../../src/features/every.ts";
import { createReplica } from "../../src/features/replica/replica.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { checkSettings, type LimiterSettings } from "../../src/limiter/settings.ts";
import { Faults } from "../../src/options/faults.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import type { Policy, Store } from "../support/limiter/plain.ts";
import { random } from "../support/random.ts";
import { storeWithClock } from "../support/redis-with-clock.ts";

export interface ScheduleOptions {
  readonly seed: number;
  /** The policies of each isolate: the same names, and perhaps other numbers. */
  readonly policies: readonly (readonly Policy[])[];
  readonly steps: number;
  /** The greatest pause between requests, in microseconds. */
  readonly pauseUs: number;
  /** The longest lag of the replica, in microseconds. */
  readonly lagUs: number;
  /** Whether the first isolate resets identities now and then. Then only its own denials are judged. */
  readonly resets?: boolean;
  /** Whether isolates have other numbers. Then only denials of the replica are judged: remembered ones may be longer. */
  readonly hasSettings?: boolean;
}

export interface Outcome {
  /** Denials of the replica, and known denials. */
  readonly nearby: number;
  readonly cached: number;
  readonly allowed: number;
  /** Denials for which the primary had room at that moment, or that claimed a longer wait than the primary's. */
  readonly wrong: readonly string[];
}

/** A real Redis that shows its state at its last write: its keys begin with this. */
const COPY = "late:";

/** A seed begins at the same time of each day, because windows stand on a grid of the clock. */
const DAY_US = 86_400e6;

/** The clocks of isolates are off by at most this share. */
const DRIFT = 2e-4;

/** The drift of a known wait after a minute, which is the longest time that a denial is known. */
const MAX_DRIFTED_US = 60e6 * DRIFT;

const COPY_ALL = `
for _, key in ipairs(KEYS) do
  if redis.call('COPY', key, ARGV[1] .. key, 'REPLACE') == 0 then redis.call('DEL', ARGV[1] .. key) end
end`;

/**
 * Isolates whose clocks differ and drift, a real Redis far away, and copies of its keys nearby that are late: requests
 * at random, and after each denial without the primary a look at the primary's own state, at its own time.
 */
export async function playSchedule(redis: Redis, options: ScheduleOptions): Promise<Outcome> {
  const { seed, policies, steps, pauseUs, lagUs, resets = false, hasSettings = false } = options;
  const next = random(seed);
  const upTo = (most: number) => Math.floor(next() * most);
  const prefix = crypto.randomUUID();
  const keys = new Set<string>();
  const startUs = FUTURE - (FUTURE % DAY_US) + upTo(DAY_US);
  let timeUs = startUs;
  let copiedAtUs = timeUs;

  const primary = storeWithClock(redis, () => timeUs);

  async function copy(): Promise<void> {
    await redis.eval(COPY_ALL, keys.size, ...keys, COPY);
    copiedAtUs = timeUs;
  }

  async function far<Answer>(ask: () => Promise<Answer> | Answer): Promise<Answer> {
    timeUs += upTo(80_000);
    const answer = await ask();
    timeUs += upTo(80_000);
    return answer;
  }

  const store: Store = {
    decide(operation, asked, ...rest) {
      for (const key of asked) keys.add(key);
      return far(() => primary.decide(operation, asked, ...rest));
    },
    reset: (asked) => far(() => primary.reset(asked)),
  };

  const replica = createReplica(
    {
      dialect: { firstLine: "" },
      client: {
        evalsha: () => Promise.reject(new Error("NOSCRIPT No matching script.")),
        async eval(script, asked, args) {
          timeUs += upTo(3_000);
          const copies = asked.map((key) => COPY + key);
          const reply = await redis.call("EVAL_RO", script, copies.length, ...copies, ...args);
          timeUs += upTo(3_000);
          return reply;
        },
      },
    },
    60_000,
  );

  interface Isolate {
    readonly limiter: Limiter;
    readonly settings: LimiterSettings;
  }
  const isolates = policies.map((own): Isolate => {
    const rate = 1 + (next() - 0.5) * 2 * DRIFT;
    const offsetMs = upTo(1e9);
    const now = () => offsetMs + ((timeUs - startUs) / 1000) * rate;
    const faults = new Faults();
    const settings = checkSettings({ policies: own, prefix }, EVERY_FEATURE, faults);
    faults.throwIfAny();
    return {
      settings,
      limiter: buildLimiter(store, { ...settings, now, replica }, EVERY_FEATURE),
    };
  });

  const outcome = { nearby: 0, cached: 0, allowed: 0, wrong: [] as string[] };

  async function judge(
    { limiter, settings }: Isolate,
    identity: string,
    cost: number,
    isJudged: boolean,
  ) {
    const decision = await limiter.limit(identity, { cost });
    const { reason, allowed, retryAfterMs } = decision;
    if (allowed) outcome.allowed++;
    if (reason === "replica-denial") outcome.nearby++;
    else if (reason === "cached-denial") outcome.cached++;
    else return;
    if (!isJudged || (reason !== "replica-denial" && hasSettings)) return;
    const list = settings.policies;
    const { rows } = await primary.decide(
      "peek",
      list.map(({ key }) => `${prefix}:{${identity}}:${key}`),
      list.map(() => cost),
      list,
    );
    // The denial of a smaller cost tells a greater one a bound: when the whole limit is free.
    const isBound = reason === "cached-denial" && cost > 1;
    const waitUs = Math.max(
      ...rows.map((row) => Math.max(row.retryAfterUs, isBound ? row.resetAfterUs : 0)),
    );
    const drifted = reason === "cached-denial" ? MAX_DRIFTED_US : 0;
    if (rows.every((row) => row.allowed) || waitUs + drifted < retryAfterMs * 1000) {
      outcome.wrong.push(
        `seed ${seed}: ${reason} of ${identity} for ${retryAfterMs} ms, and the primary says ${waitUs / 1000}`,
      );
    }
  }

  for (let step = 0; step < steps; step++) {
    timeUs += next() < 0.5 ? upTo(pauseUs / 50) : upTo(pauseUs);
    if (next() < 0.2 || timeUs - copiedAtUs > lagUs - 1_000_000) await copy();
    const at = upTo(isolates.length);
    const isolate = isolates[at]!;
    const identity = `id${upTo(4)}`;
    const kind = next();
    if (resets && at === 0 && kind < 0.08) await isolate.limiter.reset(identity);
    else if (kind < 0.15) await isolate.limiter.charge(identity, 1 + upTo(4));
    else await judge(isolate, identity, 1 + upTo(3), !resets || at === 0);
  }
  if (keys.size > 0) await redis.del(...keys, ...[...keys].map((key) => COPY + key));
  return outcome;
}
