import type { Stats } from "../api/answers.ts";
import { useStoreName } from "../live/health.ts";
import { count, milliseconds, percent, sum } from "../parts/format.ts";
import { added } from "../parts/request-counts.ts";
import { overall } from "./latency.ts";

export function Tiles({ stats }: { readonly stats: Stats }) {
  const store = useStoreName();
  const { requests, durations, commands, storeErrors, region, excess, lost, times } = stats;
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
  const ofReason = (isWanted: (reason: string) => boolean) =>
    sum(requests.filter(({ reason }) => isWanted(reason)).map(({ counts }) => sum(counts)));
  const withoutStore = ofReason((reason) => reason.startsWith("store-unavailable"));
  const ahead = ofReason((reason) => reason === "optimistic");
  const open = ofReason((reason) => reason === "store-unavailable-open");
  const ofRegions = (name: string) =>
    sum(region.filter(({ what }) => what === name).map(({ counts }) => sum(counts)));
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
        title={`${store.title} latency p99`}
        value={milliseconds(overall(durations, 0.99))}
        note={`p50 ${milliseconds(overall(durations, 0.5))}`}
      />
      {store.isRedis && (
        <Tile
          title="Redis commands"
          value={count(spent)}
          note={all === 0 ? "no request" : `${(spent / all).toFixed(2)} per request`}
        />
      )}
      <Tile
        title={`Decided without ${store.name}`}
        value={count(withoutStore)}
        note={`${count(open)} passed unlimited, ${count(errors)} ${store.isRedis ? "Redis errors" : "errors"}`}
        tone={errors > 0 || withoutStore > 0 ? "bad" : ""}
      />
      {ahead > 0 && (
        <Tile
          title={`Answered ahead of ${store.name}`}
          value={percent(ahead, all)}
          note={`${count(sum(excess))} units had no room`}
        />
      )}
      {region.length > 0 && (
        <Tile
          title="Regions waited for home"
          value={percent(ofRegions("waits"), all)}
          note={`${count(ofRegions("homeCalls"))} home calls, ${count(ofRegions("unspentUnits"))} units expired, ${count(ofRegions("lostClaims"))} claims lost`}
          tone={ofRegions("failures") > 0 ? "bad" : ""}
        />
      )}
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
