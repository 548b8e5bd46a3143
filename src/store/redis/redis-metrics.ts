import { ADD_METRICS, READ_METRICS } from "../../algorithms/scripts.generated.ts";
import { StoreError } from "../../options/errors.ts";
import {
  type Counted,
  type MetricsBatch,
  type MetricsSets,
  type MetricsStore,
  MINUTE_MS,
  SETS,
} from "../metrics-store.ts";
import type { RedisAddress } from "./client.ts";
import { dialectAt } from "./dialect.ts";
import { storeError } from "./errors.ts";
import { restReader, type SendCommand } from "./rest.ts";
import { inDialect } from "./store.ts";

/** A dashboard's query may take longer than a decision. */
const TIMEOUT_MS = 10_000;

/** The bytes of a reply: more would keep Redis from its decisions. */
const BYTES_PER_CALL = 1_000_000;

/** The keys of the sets: hashes, sorted sets for partitions. They have one hash tag, so that one script can write them together. */
export function metricsKeys(prefix: string): MetricsSets {
  const key = (set: string) => `${prefix}:{#metrics}:${set}`;
  return {
    total: key(SETS.total),
    minute: (ms) => key(SETS.minute(ms)),
    hour: (ms) => key(SETS.hour(ms)),
    top: (kind, ms) => key(SETS.top(kind, ms)),
    isolate: (id) => key(SETS.isolate(id)),
  };
}

/**
 * @param send sends the commands that write
 * @param onCommands called with the number of commands of a write, those of its script among them
 */
export function redisMetrics(
  redis: RedisAddress,
  prefix: string,
  send: SendCommand,
  onCommands: (count: number) => void,
): MetricsStore {
  const keys = metricsKeys(prefix);
  const dialect = dialectAt(redis.url, redis.dialect);
  const ask = restReader(redis, TIMEOUT_MS);

  async function evaluate(
    sending: SendCommand,
    script: string,
    asked: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> {
    try {
      return await inDialect(dialect, () =>
        sending(["EVAL", dialect.firstLine + script, asked.length, ...asked, ...args]),
      );
    } catch (error) {
      throw storeError(error);
    }
  }

  const counted: SendCommand = (command) => {
    onCommands(1);
    return send(command);
  };

  return {
    async add(batch) {
      const written = await evaluate(counted, ADD_METRICS, keysOf(keys, batch), argumentsOf(batch));
      // One finds that Redis has a batch already.
      onCommands(written === 1 ? commandsOf(batch) : 1);
    },

    async read(kind, sets, names) {
      const asked = sets.map((set) => `${prefix}:{#metrics}:${set}`);
      const reply = await evaluate(ask, READ_METRICS, asked, [kind, BYTES_PER_CALL, ...names]);
      if (!Array.isArray(reply) || reply.length === 0 || reply.length > sets.length) {
        throw foreign();
      }
      return reply.map(numbersOf);
    },
  };
}

/** The keys of a batch as lua/metrics/add.lua takes them. */
export function keysOf(
  keys: MetricsSets,
  { isolate, atMs, minutes }: Pick<MetricsBatch, "isolate" | "atMs" | "minutes">,
): string[] {
  const dated = minutes.map(({ minute }) => minute * MINUTE_MS);
  return [
    keys.isolate(isolate),
    keys.total,
    keys.top("denied", atMs),
    keys.top("near", atMs),
    ...dated.flatMap((ms) => [keys.minute(ms), keys.hour(ms)]),
  ];
}

function argumentsOf({ number, minutes, tops }: MetricsBatch): (string | number)[] {
  return [
    number,
    minutes.length,
    ...minutes.flatMap(({ counts }) => listOf(counts)),
    ...listOf(tops.denied),
    ...listOf(tops.near),
  ];
}

function listOf(counts: Counted): (string | number)[] {
  return [counts.length, ...counts.flat()];
}

/** GET, HLEN, ZCARD twice and SET. */
const COMMANDS_OF_BATCH = 5;

/** HLEN and EXPIRE for its hash and that of its hour; HMGET and HSET for these, and for the total. */
const COMMANDS_OF_MINUTE = 10;

/** How many commands lua/metrics/add.lua runs to write a batch. */
function commandsOf({ minutes, tops }: MetricsBatch): number {
  let commands = COMMANDS_OF_BATCH + COMMANDS_OF_MINUTE * minutes.length;
  // ZINCRBY for each partition; and two for what is bounded and expires.
  for (const { length } of [tops.denied, tops.near]) if (length > 0) commands += length + 2;
  return commands;
}

function numbersOf(list: unknown): ReadonlyMap<string, number> {
  if (!Array.isArray(list)) throw foreign();
  const numbers = new Map<string, number>();
  for (let i = 0; i + 1 < list.length; i += 2) {
    const count = Number(list[i + 1]);
    if (Number.isFinite(count)) numbers.set(String(list[i]), count);
  }
  return numbers;
}

function foreign(): StoreError {
  return new StoreError(
    "ERR_STORE_REPLY",
    "What Redis has of metrics was not written by Tidegate.",
  );
}
