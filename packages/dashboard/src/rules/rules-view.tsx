import type { Live, Rule, Stats } from "../api/answers.ts";
import { useLive } from "../live/live.ts";
import { statsPath } from "../live/ranges.ts";
import { useAnswer } from "../live/use-answer.ts";
import { count, percent } from "../parts/format.ts";
import { clipped } from "../parts/plain.ts";
import { Published } from "../parts/published.tsx";
import { byRule } from "../parts/request-counts.ts";
import { labelOf, sourcesOf } from "../parts/rule-label.ts";
import { Answered } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { TrialCard } from "../parts/trial-card.tsx";

/** All rules in force, with the counts of each. */
export function RulesView() {
  const { range } = useLive();
  const live = useAnswer<Live>("/rules");
  const stats = useAnswer<Stats>(`stats ${range.name}`, (nowMs) => statsPath(range, nowMs));
  return (
    <>
      <h1>Rules</h1>
      <Answered of={live} what="the rules">
        {(data) => (
          <>
            {data.trial && <TrialCard live={data} trial={data.trial} />}
            <section class="card" aria-label="Rules in force">
              <Published live={data} />
              <p>
                <a href="#/edit">Edit the rules</a>
              </p>
              <RuleRows rules={data.document.rules} stats={stats.data} />
              {stats.data && <BlockedBefore stats={stats.data} />}
            </section>
          </>
        )}
      </Answered>
    </>
  );
}

interface Row {
  readonly rule: Rule;
  readonly index: number;
  readonly label: string;
}

function RuleRows({
  rules,
  stats,
}: {
  readonly rules: readonly Rule[];
  readonly stats: Stats | undefined;
}) {
  const counted = new Map(byRule(stats?.requests ?? []).map((each) => [each.rule, each]));
  const rows: Row[] = rules.map((rule, index) => ({ rule, index, label: labelOf(rule) }));
  return (
    <Table
      caption="Rules in force"
      empty="There is no rule."
      rows={rows}
      textOf={({ label, rule }) => `${label} ${rule.policies.map(({ name }) => name).join(" ")}`}
      columns={[
        {
          title: "rule",
          cell: ({ label, index }) => <a href={`#/rules/${index}`}>{clipped(label)}</a>,
        },
        {
          title: "policies",
          cell: ({ rule }) =>
            clipped(rule.policies.map(({ name, algorithm }) => name ?? algorithm).join(", ")),
        },
        { title: "counts by", cell: ({ rule }) => clipped(sourcesOf(rule.partition)) },
        ...(stats
          ? [
              {
                title: "requests",
                isNumber: true,
                cell: ({ label }: Row) => count(counted.get(label)?.requests ?? 0),
              },
              {
                title: "denied",
                isNumber: true,
                cell: ({ label }: Row) => {
                  const { denied = 0, requests = 0 } = counted.get(label) ?? {};
                  return denied === 0 ? "0" : `${count(denied)} (${percent(denied, requests)})`;
                },
              },
              {
                title: "blocked",
                isNumber: true,
                cell: ({ label }: Row) => count(counted.get(label)?.blocked ?? 0),
              },
            ]
          : []),
      ]}
    />
  );
}

/** Lists of names and addresses come before the rules, so that no rule counts the requests that they block. */
function BlockedBefore({ stats }: { readonly stats: Stats }) {
  const blocked = byRule(stats.requests).find(({ rule }) => rule === "none")?.blocked ?? 0;
  if (blocked === 0) return undefined;
  const requests = `${count(blocked)} more ${blocked === 1 ? "request" : "requests"}`;
  return <p class="muted">Lists blocked {requests} before a rule was looked up for them.</p>;
}
