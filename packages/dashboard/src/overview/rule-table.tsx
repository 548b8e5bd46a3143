import { useMemo } from "hono/jsx/dom";

import type { Live, Stats } from "../api/answers.ts";
import { count, percent } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";
import { byRule, type RuleCounts } from "../parts/request-counts.ts";
import { labelOf } from "../parts/rule-label.ts";
import { Table } from "../parts/table.tsx";

interface RuleTableProps {
  readonly stats: Stats;
  readonly rules: Live | undefined;
}

/** Requests counted under no rule. */
const NAMES: Readonly<Record<string, string>> = { none: "no rule", other: "other rules" };

export function RuleTable({ stats, rules }: RuleTableProps) {
  const rows = useMemo(() => byRule(stats.requests), [stats]);
  const indices = useMemo(
    () => new Map(rules?.document.rules.map((rule, i) => [labelOf(rule), i])),
    [rules],
  );
  const nameOf = (row: RuleCounts) => {
    const index = indices.get(row.rule);
    const name = clipped(NAMES[row.rule] ?? row.rule);
    return index === undefined ? name : <a href={`#/rules/${index}`}>{name}</a>;
  };
  return (
    <section class="card" aria-label="By rule">
      <h2>By rule</h2>
      <Table
        caption="Requests by rule"
        empty="No request was counted."
        rows={rows}
        textOf={({ rule }) => rule}
        columns={[
          { title: "rule", cell: nameOf },
          { title: "requests", isNumber: true, cell: ({ requests }) => count(requests) },
          { title: "denied", isNumber: true, cell: ({ denied }) => count(denied) },
          { title: "blocked", isNumber: true, cell: ({ blocked }) => count(blocked) },
          {
            title: "share denied",
            isNumber: true,
            cell: ({ denied, requests }) => percent(denied, requests),
          },
        ]}
      />
    </section>
  );
}
