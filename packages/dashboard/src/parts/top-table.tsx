import type { Live, TopPartition } from "../api/answers.ts";
import { exampleFor } from "./example.ts";
import { count } from "./format.ts";
import { clipped } from "./plain.ts";
import { Table } from "./table.tsx";
import { linkTo } from "./view-location.ts";

interface TopTableProps {
  readonly caption: string;
  readonly rows: readonly TopPartition[];
  readonly rules: Live | undefined;
}

export function TopTable({ caption, rows, rules }: TopTableProps) {
  const linkOf = ({ policy, partition, hint }: TopPartition) =>
    linkTo("partition", {
      partition,
      policy,
      hint,
      ...(rules && exampleFor(rules.document, policy)),
    });
  return (
    <Table
      caption={caption}
      empty="No client so far."
      rows={rows}
      textOf={({ policy, partition }) => `${policy} ${partition}`}
      columns={[
        {
          title: "client",
          cell: (row) => (
            <>
              <a class="untrusted" href={linkOf(row)}>
                {clipped(row.partition)}
              </a>
              {row.hint !== undefined && (
                <span class="hint untrusted">ends in {clipped(row.hint)}</span>
              )}
            </>
          ),
        },
        { title: "policy", cell: ({ policy }) => clipped(policy) },
        { title: "at least", isNumber: true, cell: ({ count: times }) => count(times) },
      ]}
    />
  );
}
