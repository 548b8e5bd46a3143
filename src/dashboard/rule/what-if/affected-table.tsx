import type { AffectedPartition, Rule } from "../../api/answers.ts";
import { exampleOf } from "../../parts/example.ts";
import { count } from "../../parts/format.ts";
import { clipped } from "../../parts/plain.ts";
import { Table } from "../../parts/table.tsx";
import { linkTo } from "../../parts/view-location.ts";

interface AffectedTableProps {
  readonly rows: readonly AffectedPartition[];
  readonly policy: string;
  readonly rule: Rule;
}

/** The clients that it would affect. The sample has no names: those of partitions at the top of the overview are known. */
export function AffectedTable({ rows, policy, rule }: AffectedTableProps) {
  const linkOf = ({ partition, number }: AffectedPartition) =>
    linkTo("partition", {
      ...(partition === null ? { number } : { partition }),
      ...exampleOf(rule),
    });
  return (
    <>
      <h3>Who would notice most, in the sample</h3>
      <p class="muted">
        The sample keeps numbers in place of names. A client has its name here if it is among those
        that are denied most, and the name is no address.
      </p>
      <Table
        caption={`Clients that ${policy} would treat differently`}
        empty="Nobody in the sample."
        rows={rows}
        columns={[
          {
            title: "client",
            cell: (row) => (
              <a class="untrusted" href={linkOf(row)}>
                {row.partition === null ? `number ${clipped(row.number)}` : clipped(row.partition)}
              </a>
            ),
          },
          { title: "requests", isNumber: true, cell: ({ requests }) => count(requests) },
          { title: "denied now", isNumber: true, cell: ({ deniedBefore }) => count(deniedBefore) },
          { title: "then", isNumber: true, cell: ({ deniedAfter }) => count(deniedAfter) },
        ]}
      />
    </>
  );
}
