import type { Administered } from "../../gateway/administration/administered.ts";
import { HOUR_MS, MINUTE_MS } from "../../metrics/keys.ts";
import type { CountedPartition, MetricsReader } from "../../metrics/reader.ts";
import type { SampledPartition } from "../../metrics/trace-reader.ts";
import type { PartitionHistory, PolicyHistory } from "../answers/metrics.ts";
import { type AdminRoute, type Call, isoTime, json, readSmallBody } from "../call.ts";
import { checked, HistoryBody } from "../schemas.ts";
import { about } from "./explain.ts";
import { shown, SPAN, spanOf, STEPS } from "./span.ts";

type MinuteCounts = NonNullable<PolicyHistory["requests"]>;

/** A partition by its names: in the sketches of partitions, and in the sample. */
interface Named {
  /** `undefined` for any policy. */
  readonly policy?: string;
  readonly partition?: string;
  readonly number?: string | undefined;
  /** Whether it is in the sample; `undefined` if its name does not say so. */
  readonly isSampled?: boolean;
}

/**
 * Reports the history of one partition.
 *
 * @param upToDate reads what isolates have written, this one included
 */
export function partitionHistoryRoute(
  gateway: Administered,
  upToDate: () => Promise<MetricsReader>,
): AdminRoute {
  async function answer(call: Call): Promise<Response> {
    const span = spanOf(call.query, STEPS.minute);
    const asked = checked(HistoryBody, await readSmallBody(call));
    const reader = await upToDate();
    const whose = await namedBy(asked);
    const names = [...new Set(whose.flatMap(({ partition }) => partition ?? []))];
    const numbers = [...new Set(whose.flatMap(({ number }) => number ?? []))];
    const [counted, samples] = await Promise.all([
      reader.topCounts(names, span),
      Promise.all(numbers.map((number) => reader.sampleOfPartition(number, span.toMs))),
    ]);
    const kept = samples.flatMap(({ partitions }) => partitions);
    const minutes = minutesBefore(span.toMs);
    return json({
      ...shown(span),
      times: counted.times.map(isoTime),
      minutes: minutes.map(isoTime),
      partitions: rowsOf(whose, counted.partitions, kept).map(
        ({ named, policy, row, sampled }) => ({
          policy,
          partition: named.partition ?? null,
          number: named.number ?? null,
          isSampled: named.isSampled ?? null,
          denied: row?.denied ?? counted.times.map(() => 0),
          near: row?.near ?? counted.times.map(() => 0),
          requests: sampled ? byMinute(sampled, minutes) : null,
        }),
      ),
    } satisfies PartitionHistory);
  }

  /** Each partition that a body asks for. */
  async function namedBy({
    request,
    name,
    number,
  }: ReturnType<typeof checked<typeof HistoryBody>>): Promise<readonly Named[]> {
    const { nameOf, numberOf } = gateway.names!;
    if (number !== undefined) return [{ number, isSampled: true }];
    if (name !== undefined) {
      // An identity that is its own name; the digest of an address does not say which address.
      if ((await nameOf(name)) !== name) return [{ partition: name }];
      const found = numberOf(name);
      return [{ partition: name, number: found, isSampled: found !== undefined }];
    }
    const clients = await about(request, (described) => gateway.counted(described));
    return Promise.all(
      clients.map(async ({ policy, identity }) => {
        const found = numberOf(identity);
        const partition = await nameOf(identity);
        return { policy, partition, number: found, isSampled: found !== undefined };
      }),
    );
  }

  return {
    method: "POST",
    path: "/partitions/history",
    writes: false,
    query: SPAN,
    answer,
  };
}

/** Everything that is known of each partition under each policy. */
function rowsOf(
  whose: readonly Named[],
  counted: readonly CountedPartition[],
  kept: readonly SampledPartition[],
) {
  return whose.flatMap((named) => {
    const rows = counted.filter(({ partition }) => partition === named.partition);
    const samples = kept.filter(({ number }) => number === named.number);
    const policies =
      named.policy === undefined
        ? [...new Set([...rows, ...samples].map(({ policy }) => policy))]
        : [named.policy];
    return policies.map((policy) => ({
      named,
      policy,
      row: rows.find((each) => each.policy === policy),
      sampled: samples.find((each) => each.policy === policy),
    }));
  });
}

/** The minutes that the trace is kept for. */
function minutesBefore(toMs: number): number[] {
  const last = Math.floor((toMs - 1) / MINUTE_MS) * MINUTE_MS;
  const length = HOUR_MS / MINUTE_MS;
  return Array.from({ length }, (_, i) => last - (length - 1 - i) * MINUTE_MS);
}

/** How many requests passed in each minute, and how many the policy, or only another one, denied. */
function byMinute({ requests }: SampledPartition, minutes: readonly number[]): MinuteCounts {
  const counts = {
    allowed: minutes.map(() => 0),
    denied: minutes.map(() => 0),
    deniedByOthers: minutes.map(() => 0),
  };
  for (const { ms, hasRoom, isDenied } of requests) {
    const i = Math.floor((ms - minutes[0]!) / MINUTE_MS);
    const kind = !hasRoom ? "denied" : isDenied ? "deniedByOthers" : "allowed";
    if (i in counts[kind]) counts[kind][i]!++;
  }
  return counts;
}
