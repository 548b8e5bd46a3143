import { MINUTE_MS } from "./keys.ts";
import { readLine, type TracedRequest } from "./trace-text.ts";
import { SAMPLED_ONE_IN } from "./trace.ts";

/** The history of a sampled partition, in the order of time. */
export interface SampledPartition {
  readonly policy: string;
  /** The number that it is called by. */
  readonly number: string;
  readonly requests: readonly TracedRequest[];
  /** Of each request, whether it is in the span that is asked for: those before only show the units left then. */
  readonly isInSpan: readonly boolean[];
  /** Those it was decided by. */
  readonly limits: ReadonlySet<number>;
}

/** Partitions that are in the sample. */
export interface Sample {
  readonly oneIn: number;
  readonly partitions: readonly SampledPartition[];
}

/** How a chunk is called: class, number of requests, the minute of the flush, isolate and batch. */
const CHUNK = /^(\d+)\.(\d+)\.(\d+)\.[\w-]+\.\d+$/;

/** The requests that are asked for: those of a policy, or of one partition under every policy. */
export interface Wanted {
  readonly policy?: string;
  readonly number?: string;
}

/**
 * Collects requests.
 *
 * @param fromMs where the span begins that is asked for
 * @returns `undefined` if the fields were not written by Tidegate
 */
export function sampleOf(
  hashes: readonly ReadonlyMap<string, string>[],
  { policy, number }: Wanted,
  fromMs: number,
): Sample | undefined {
  // A class that any isolate dropped is left out everywhere, so that each partition is whole.
  const level = Math.max(0, ...hashes.map((fields) => Number(fields.get("level") ?? 0)));
  const found = new Map<string, { request: TracedRequest; limit: number; isInSpan: boolean }[]>();
  for (const fields of hashes) {
    for (const [field, text] of fields) {
      if (field === "level" || field === "events") continue;
      const [, sampleClass, , minute] = CHUNK.exec(field) ?? [];
      if (sampleClass === undefined) return undefined;
      if (Number(sampleClass) < level) continue;
      const isInSpan = Number(minute) * MINUTE_MS >= fromMs;
      for (const line of text.split("\n")) {
        const read = readLine(line);
        if (!read) return undefined;
        if (read.policy !== (policy ?? read.policy)) continue;
        if (read.partition !== (number ?? read.partition)) continue;
        const key = `${read.policy} ${read.partition}`;
        const known = found.get(key) ?? [];
        const { limit } = read;
        known.push(...read.requests.map((request) => ({ request, limit, isInSpan })));
        found.set(key, known);
      }
    }
  }
  const partitions = [...found].map(([key, events]) => {
    const [name = "", called = ""] = key.split(" ");
    const inTime = events.toSorted((a, b) => inOrder(a.request, b.request));
    return {
      policy: name,
      number: called,
      requests: inTime.map(({ request }) => request),
      isInSpan: inTime.map(({ isInSpan }) => isInSpan),
      limits: new Set(inTime.map(({ limit }) => limit)),
    };
  });
  return { oneIn: SAMPLED_ONE_IN * 2 ** level, partitions };
}

/** By time; in one millisecond of several isolates, the requests that used the room up came before those that found none. */
function inOrder(a: TracedRequest, b: TracedRequest): number {
  return a.ms - b.ms || Number(b.hasRoom) - Number(a.hasRoom);
}
