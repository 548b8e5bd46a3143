import type { Counted, MetricsBatch } from "../store/metrics-store.ts";
import { FIELD } from "./fields.ts";
import type { Counts } from "./minutes.ts";
import { partitionName } from "./partition-name.ts";
import type { Heavy } from "./sketch.ts";

/** A batch that is not written yet. */
export interface Batch extends MetricsBatch {
  /** How many requests it counts. */
  readonly requests: number;
  /** When it was made, on the isolate's steady clock. */
  readonly madeAtMs: number;
}

/** More fields than this keep Redis from its decisions for longer than a few milliseconds. */
const MAX_FIELDS = 2_000;

/** The partitions that one batch names. */
export const MAX_PARTITIONS = 20;

const NO_PARTITIONS: MetricsBatch["tops"] = { denied: [], near: [] };

/** Puts counts into batches, in the order given. Only the first one has the counts of single partitions. */
export function batchesOf(
  minutes: ReadonlyMap<number, Counts>,
  tops: MetricsBatch["tops"],
): Pick<Batch, "minutes" | "tops" | "requests">[] {
  const all = [...minutes].flatMap(([minute, counts]) =>
    [...counts].map((counted) => ({ minute, counted })),
  );
  const batches: ReturnType<typeof batchesOf> = [];
  for (let start = 0; start < all.length; start += MAX_FIELDS) {
    const dated = byMinute(all.slice(start, start + MAX_FIELDS));
    batches.push({
      minutes: Array.from(dated, ([minute, counts]) => ({ minute, counts })),
      tops: start === 0 ? tops : NO_PARTITIONS,
      requests: requestsIn([...dated.values()].flat()),
    });
  }
  return batches;
}

function byMinute(
  all: readonly { readonly minute: number; readonly counted: readonly [string, number] }[],
): ReadonlyMap<number, Counted> {
  const minutes = new Map<number, (readonly [string, number])[]>();
  for (const { minute, counted } of all) {
    const own = minutes.get(minute);
    if (own) own.push(counted);
    else minutes.set(minute, [counted]);
  }
  return minutes;
}

function requestsIn(counts: Counted): number {
  let requests = 0;
  for (const [field, count] of counts) if (field[0] === FIELD.requests) requests += count;
  return requests;
}

/** Names partitions by digests, unless the settings allow plain names. */
export async function namesOf(
  heavy: readonly Heavy[],
  identities: "hashed" | "plain",
): Promise<Counted> {
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
