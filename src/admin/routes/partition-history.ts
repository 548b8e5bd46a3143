import type { CountedPartition, MetricsReader } from "../../metrics/reader.ts";
import type { Administered } from "../administered.ts";
import { type AdminRoute, type Call, isoTime, json, readSmallBody } from "../call.ts";
import type { PartitionHistory } from "../metrics-answers.ts";
import { checked, HistoryBody } from "../schemas.ts";
import { about } from "./explain.ts";
import { shown, SPAN, spanOf, STEPS } from "./span.ts";

/** A partition by its name in metrics. */
interface Named {
  /** `undefined` for any policy. */
  readonly policy?: string;
  readonly partition: string;
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
    const names = [...new Set(whose.map(({ partition }) => partition))];
    const { times, partitions } = await reader.topCounts(names, span);
    const none = times.map(() => 0);
    return json({
      ...shown(span),
      times: times.map(isoTime),
      partitions: whose.flatMap((named) => rowsOf(named, partitions, none)),
    } satisfies PartitionHistory);
  }

  /** Each partition that a body asks for. */
  async function namedBy({
    request,
    name,
  }: ReturnType<typeof checked<typeof HistoryBody>>): Promise<readonly Named[]> {
    if (name !== undefined) return [{ partition: name }];
    const clients = await about(request, (described) => gateway.counted(described));
    return Promise.all(
      clients.map(async ({ policy, identity }) => {
        const partition = await gateway.metrics!.nameOf(identity);
        return { policy, partition };
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

/** The counts of a partition under its policy, zeros if there are none; under each policy that has some for any policy. */
function rowsOf(
  { policy, partition }: Named,
  counted: readonly CountedPartition[],
  none: readonly number[],
): PartitionHistory["partitions"] {
  const rows = counted.filter((row) => row.partition === partition);
  if (policy === undefined) return rows;
  const row = rows.find((each) => each.policy === policy);
  return [row ?? { policy, partition, denied: none, near: none }];
}
