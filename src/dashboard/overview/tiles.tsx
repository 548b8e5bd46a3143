import type { Stats } from "../api/answers.ts";
import { count, milliseconds, percent, sum } from "../parts/format.ts";
import { added } from "../parts/request-counts.ts";
import { overall } from "./latency.ts";

export function Tiles({ stats }: { readonly stats: Stats }) {
  const { requests, durations, commands, storeErrors, lost, times } = stats;
  const totalOf = (outcome: string) =>
    sum(requests.filter((each) => each.outcome === outcome).map(({ counts }) => sum(counts)));
  const all = sum(
    added(
      times.length,
      requests.map(({ counts }) => counts),
    ),
  );
  const denied = totalOf("denied");
  const spent = sum(commands);
  const errors = sum(storeErrors.map(({ counts }) => sum(counts)));
  const open = sum(
    requests
      .filter(({ outcome, reason }) => outcome === "allowed" && reason === "store-unavailable")
      .map(({ counts }) => sum(counts)),
  );
  return (
    <dl class="tiles">
      <Tile
        title="Requests"
        value={count(all)}
        note={`${count(totalOf("passed"))} without a rule`}
      />
      <Tile
        title="Denied"
        value={percent(denied, all)}
        note={`${count(denied)} requests`}
        tone={denied > 0 ? "denied" : ""}
      />
      <Tile
        title="Store, 99 of 100"
        value={milliseconds(overall(durations, 0.99))}
        note={`half within ${milliseconds(overall(durations, 0.5))}`}
      />
      <Tile
        title="Redis commands"
        value={count(spent)}
        note={all === 0 ? "no request" : `${(spent / all).toFixed(2)} per request`}
      />
      <Tile
        title="Store failures"
        value={count(errors)}
        note={`${count(open)} requests passed unlimited`}
        tone={errors > 0 ? "bad" : ""}
      />
      {sum(lost) > 0 && (
        <Tile title="Not counted" value={count(sum(lost))} note="counts given up" tone="bad" />
      )}
    </dl>
  );
}

function Tile({
  title,
  value,
  note,
  tone = "",
}: {
  readonly title: string;
  readonly value: string;
  readonly note: string;
  readonly tone?: string;
}) {
  return (
    <div class={`tile ${tone}`}>
      <dt>{title}</dt>
      <dd class="value">{value}</dd>
      <dd class="muted">{note}</dd>
    </div>
  );
}
