import { FIELD } from "./fields.ts";
import { type MetricsKeys, MINUTE_MS } from "./keys.ts";
import type { Counts } from "./minutes.ts";
import { partitionName } from "./partition-name.ts";
import type { Heavy } from "./sketch.ts";

/** Counts on their way to Redis. */
export interface Batch {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  /** Those that it has counts of, from 1970. */
  readonly minutes: readonly number[];
  /** How many requests it counts. */
  readonly requests: number;
  /** How many commands the script runs to write it, without the call. */
  readonly commands: number;
  /** When it was made, on the isolate's steady clock. */
  readonly madeAtMs: number;
}

/** Partitions as they are written: a policy, a space, and a partition; then a space and the end of its key, if it has one. */
export type PartitionCounts = readonly (readonly [member: string, count: number])[];

/** More fields than this keep Redis from its decisions for longer than a few milliseconds. */
const MAX_FIELDS = 2_000;

/** The partitions that one batch names. */
export const MAX_PARTITIONS = 20;

/** Puts counts into batches, in the order given. Only the first one has the counts of single partitions. */
export function batchesOf(
  minutes: ReadonlyMap<number, Counts>,
  tops: readonly [denied: PartitionCounts, near: PartitionCounts],
): Pick<Batch, "args" | "minutes" | "requests" | "commands">[] {
  const all = [...minutes].flatMap(([minute, counts]) =>
    [...counts].map((counted) => ({ minute, counted })),
  );
  const batches: ReturnType<typeof batchesOf> = [];
  for (let start = 0; start < all.length; start += MAX_FIELDS) {
    const some = byMinute(all.slice(start, start + MAX_FIELDS));
    const [denied, near] = start === 0 ? tops : [[], []];
    const dated = [...some.values()];
    batches.push({
      args: [some.size, ...dated.flatMap(counted), ...counted(denied), ...counted(near)],
      minutes: [...some.keys()],
      requests: requestsIn(dated.flat()),
      commands: commandsFor(some.size, [denied, near]),
    });
  }
  return batches;
}

function byMinute(
  all: readonly { readonly minute: number; readonly counted: readonly [string, number] }[],
): ReadonlyMap<number, PartitionCounts> {
  const minutes = new Map<number, (readonly [string, number])[]>();
  for (const { minute, counted } of all) {
    const own = minutes.get(minute);
    if (own) own.push(counted);
    else minutes.set(minute, [counted]);
  }
  return minutes;
}

function requestsIn(counts: PartitionCounts): number {
  let requests = 0;
  for (const [field, count] of counts) if (field[0] === FIELD.requests) requests += count;
  return requests;
}

/** GET, HLEN, ZCARD twice and SET. */
const COMMANDS_OF_BATCH = 5;

/** HLEN and EXPIRE for its hash and that of its hour; HMGET and HSET for these, and for the total. */
const COMMANDS_OF_MINUTE = 10;

/** As lua/metrics/add.lua runs them. */
function commandsFor(minutes: number, tops: readonly PartitionCounts[]): number {
  let commands = COMMANDS_OF_BATCH + COMMANDS_OF_MINUTE * minutes;
  // ZINCRBY for each partition; and two for what is bounded and expires.
  for (const { length } of tops) if (length > 0) commands += length + 2;
  return commands;
}

function counted(names: PartitionCounts): (string | number)[] {
  return [names.length, ...names.flat()];
}

/** The keys of a batch of this moment and these minutes; that of the isolate's last batch comes first. */
export function keysAt(
  keys: MetricsKeys,
  isolate: string,
  ms: number,
  minutes: readonly number[],
): string[] {
  const dated = minutes.map((minute) => minute * MINUTE_MS);
  return [
    keys.isolate(isolate),
    keys.total,
    keys.top("denied", ms),
    keys.top("near", ms),
    ...dated.flatMap((minuteMs) => [keys.minute(minuteMs), keys.hour(minuteMs)]),
  ];
}

/** Names partitions by digests, unless the settings allow plain names. */
export async function namesOf(
  heavy: readonly Heavy[],
  identities: "hashed" | "plain",
): Promise<PartitionCounts> {
  const known = heavy.filter(({ count }) => count > 0);
  return Promise.all(
    known.map(
      async ({ policy, identity, hint, count }) =>
        [
          `${policy} ${await partitionName(identity, identities)}${hint ? ` ${hint}` : ""}`,
          count,
        ] as const,
    ),
  );
}
