import { useMemo } from "hono/jsx/dom";

import type { Live, Stats, TopPartition } from "../api/answers.ts";
import { useHealth, useStoreName } from "../live/health.ts";
import { useLive } from "../live/live.ts";
import { statsPath, topPath } from "../live/ranges.ts";
import { type Loaded, useAnswer } from "../live/use-answer.ts";
import { count, milliseconds } from "../parts/format.ts";
import { Picture } from "../parts/picture.tsx";
import { byOutcome, denialsByRule } from "../parts/request-counts.ts";
import { Answered, MetricsOff } from "../parts/states.tsx";
import { TopTable } from "../parts/top-table.tsx";
import { HealthCard } from "./health-card.tsx";
import { latency, overall, SHARES } from "./latency.ts";
import { RuleTable } from "./rule-table.tsx";
import { Tiles } from "./tiles.tsx";

export function OverviewView() {
  const { range } = useLive();
  const stats = useAnswer<Stats>(`stats ${range.name}`, (nowMs) => statsPath(range, nowMs));
  const health = useHealth()!;
  const rules = useAnswer<Live>("/rules");
  return (
    <>
      <h1>
        Overview <span class="muted">last {range.title}</span>
      </h1>
      <Answered of={health} what="the health">
        {(data) => <HealthCard health={data} stats={stats.data} />}
      </Answered>
      {stats.error?.isMissing ? (
        <MetricsOff />
      ) : (
        <Answered of={stats} what="what was counted">
          {(data) => <Counted stats={data} rules={rules.data} />}
        </Answered>
      )}
    </>
  );
}

function Counted({ stats, rules }: { readonly stats: Stats; readonly rules: Live | undefined }) {
  // With thousands of rules they take longer than all that is drawn, and each answer draws it again.
  const { times, outcomes, denials, latencies } = useMemo(() => seriesOf(stats), [stats]);
  const store = useStoreName();
  const growsFrom = Date.parse(stats.completeTo);
  const byStep = `by the ${stats.step}`;
  return (
    <>
      <Tiles stats={stats} />
      <Picture
        title={`Requests ${byStep}`}
        kind="layers"
        times={times}
        series={outcomes}
        growsFrom={growsFrom}
        format={count}
      />
      <div class="halves">
        <Picture
          title={`Denials by rule, ${byStep}`}
          kind="layers"
          times={times}
          series={denials}
          growsFrom={growsFrom}
          format={count}
        />
        <Picture
          title={`${store.title} latency`}
          kind="lines"
          times={times}
          series={latencies}
          format={milliseconds}
          summary={(_values, i) => milliseconds(overall(stats.durations, SHARES[i]!))}
        />
      </div>
      <div class="halves">
        <RuleTable stats={stats} rules={rules} />
        {store.isRedis && (
          <Picture
            title={`Redis commands ${byStep}`}
            kind="layers"
            times={times}
            series={[{ label: "commands", colour: "--series-1", values: stats.commands }]}
            growsFrom={growsFrom}
            format={count}
          />
        )}
      </div>
      <Top rules={rules} />
    </>
  );
}

function seriesOf(stats: Stats) {
  const times = stats.times.map((iso) => Date.parse(iso));
  return {
    times,
    outcomes: byOutcome(stats.requests, times.length),
    denials: denialsByRule(stats.requests, times.length),
    latencies: latency(stats),
  };
}

function Top({ rules }: { readonly rules: Live | undefined }) {
  const { range } = useLive();
  const read = (kind: "denied" | "near"): Loaded<{ partitions: readonly TopPartition[] }> =>
    useAnswer(`top ${kind} ${range.name}`, (nowMs) => topPath(kind, range, nowMs));
  const denied = read("denied");
  const near = read("near");
  const isClipped = range.step === "hour" && range.steps > 24;
  return (
    <>
      {isClipped && <p class="muted">Clients are kept for 24 hours.</p>}
      <div class="halves">
        <section class="card" aria-label="Denied most">
          <h2>Denied most</h2>
          <Answered of={denied} what="the clients">
            {(data) => <TopTable caption="Denied most" rows={data.partitions} rules={rules} />}
          </Answered>
        </section>
        <section class="card" aria-label="Near their limit">
          <h2>Near their limit</h2>
          <Answered of={near} what="the clients">
            {(data) => <TopTable caption="Near their limit" rows={data.partitions} rules={rules} />}
          </Answered>
        </section>
      </div>
    </>
  );
}
