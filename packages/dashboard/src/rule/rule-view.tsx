import { useState } from "hono/jsx/dom";

import type { Live, Rule, RulesDocument, Stats } from "../api/answers.ts";
import { READ_ONLY, useSession } from "../api/session.ts";
import { useLive } from "../live/live.ts";
import { statsPath } from "../live/ranges.ts";
import { useAnswer } from "../live/use-answer.ts";
import { exampleOf } from "../parts/example.ts";
import { count } from "../parts/format.ts";
import { Picture } from "../parts/picture.tsx";
import { clipped } from "../parts/plain.ts";
import { byOutcome } from "../parts/request-counts.ts";
import { labelOf, modeInWords, sourcesOf, termsOf } from "../parts/rule-label.ts";
import { Answered, Empty, MetricsOff } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { linkTo } from "../parts/view-location.ts";
import { DeniedMost } from "./denied-most.tsx";
import { Evaluations } from "./evaluations.tsx";
import { LimitForm } from "./limit-form.tsx";
import { Utilization } from "./utilization.tsx";

/** The rule: by its place in the document, by its name in counts and alerts, or by a policy of it. */
interface RuleViewProps {
  readonly place: string;
  readonly query: URLSearchParams;
}

/** One rule: the outcomes of its requests, and its policies. */
export function RuleView({ place, query }: RuleViewProps) {
  const live = useAnswer<Live>("/rules");
  return (
    <Answered of={live} what="the rule">
      {(rules) => {
        const { document } = rules;
        const index = place === "" ? indexOf(document, query) : Number(place);
        const rule = document.rules[index];
        return rule ? (
          <Shown rules={rules} rule={rule} index={index} key={index} />
        ) : (
          <>
            <h1>Rules</h1>
            <Empty title="There is no such rule">
              {document.rules.length} rules are in force. <a href="#/rules">All rules</a>
            </Empty>
          </>
        );
      }}
    </Answered>
  );
}

function indexOf({ rules }: RulesDocument, query: URLSearchParams): number {
  return query.has("rule")
    ? rules.findIndex((rule) => labelOf(rule) === query.get("rule"))
    : rules.findIndex(({ policies }) => policies.some(({ name }) => name === query.get("policy")));
}

interface ShownProps {
  readonly rules: Live;
  readonly rule: Rule;
  readonly index: number;
}

function Shown({ rules, rule, index }: ShownProps) {
  const { range } = useLive();
  const { canWrite } = useSession();
  const [changed, setChanged] = useState<number | undefined>(undefined);
  const stats = useAnswer<Stats>(`stats ${range.name}`, (nowMs) => statsPath(range, nowMs));
  const names = rule.policies.flatMap(({ name }) => name ?? []);
  return (
    <>
      <p class="crumbs">
        <a href="#/rules">Rules</a>
      </p>
      <h1 class="untrusted">{clipped(labelOf(rule))}</h1>
      <p class="facts">
        <a href={linkTo("edit", { at: `rules[${index}]` })}>Edit</a>
        <a href={linkTo("partition", exampleOf(rule))}>Explain a request</a>
      </p>
      <section class="card" aria-label="Policies">
        <h2>Policies</h2>
        <Table
          caption="Policies of this rule"
          empty="This rule has no policy."
          rows={rule.policies.map((policy, at) => Object.assign({ at }, policy))}
          columns={[
            { title: "policy", cell: ({ name }) => clipped(name ?? "unnamed") },
            { title: "algorithm", cell: ({ algorithm }) => clipped(algorithm) },
            { title: "allows", cell: (policy) => clipped(termsOf(policy)) },
            { title: "mode", cell: ({ mode = "enforce" }) => clipped(modeInWords(mode)) },
            {
              title: "counts by",
              cell: ({ partition = rule.partition }) => clipped(sourcesOf(partition)),
            },
            {
              title: "action",
              cell: ({ at, name = "unnamed" }) => (
                <button
                  type="button"
                  disabled={!canWrite}
                  title={canWrite ? "" : READ_ONLY}
                  aria-label={`Change the limit of ${clipped(name)}`}
                  onClick={() => setChanged(at)}
                >
                  Change
                </button>
              ),
            },
          ]}
        />
        {changed !== undefined && (
          <LimitForm
            live={rules}
            index={index}
            place={changed}
            close={() => setChanged(undefined)}
          />
        )}
      </section>
      {stats.error?.isMissing ? (
        <MetricsOff />
      ) : (
        <Answered of={stats} what="what was counted">
          {(data) => (
            <>
              <Counted stats={data} rule={rule} names={names} />
              <DeniedMost policies={names} rules={rules} />
            </>
          )}
        </Answered>
      )}
    </>
  );
}

interface CountedProps {
  readonly stats: Stats;
  readonly rule: Rule;
  /** The names of its policies. */
  readonly names: readonly string[];
}

function Counted({ stats, rule, names }: CountedProps) {
  const label = labelOf(rule);
  const times = stats.times.map((iso) => Date.parse(iso));
  const requests = stats.requests.filter((each) => each.rule === label);
  return (
    <>
      <Picture
        title={`Requests by the ${stats.step}`}
        kind="layers"
        times={times}
        series={byOutcome(requests, times.length)}
        growsFrom={Date.parse(stats.completeTo)}
        format={count}
      />
      <div class="halves">
        <Utilization stats={stats} policies={names} />
        <Evaluations stats={stats} policies={names} />
      </div>
    </>
  );
}
