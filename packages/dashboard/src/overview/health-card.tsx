import type { Health, Stats } from "../api/answers.ts";
import { duration, moment } from "../parts/format.ts";
import { plain } from "../parts/plain.ts";

const SOUND: Readonly<Record<Health["store"], string>> = {
  redis: "Redis answers",
  "durable-object": "Durable Objects answer",
  memory: "Counts in memory",
};

/** Whether decisions of one isolate come from its store, its breaker, which rules it enforces, and where they are. */
export function HealthCard({
  health,
  stats,
}: {
  readonly health: Health;
  readonly stats: Stats | undefined;
}) {
  const { status, store, detail, breaker, regions, live, keys } = health;
  // The reason of a degraded gateway has a line of its own.
  const isUp = status === "ok" || status === "degraded";
  return (
    <section class="health" aria-label="Health">
      <span class="muted">The isolate that answered:</span>
      <span class={isUp ? "dot good" : "dot bad"}>
        {isUp
          ? SOUND[store]
          : `${store === "redis" ? "Redis" : "Store"}: ${plain(detail ?? status)}`}
      </span>
      {breaker && (
        <span class={breaker === "closed" ? "dot good" : "dot bad"}>Breaker {breaker}</span>
      )}
      {regions?.map(({ name, code }) => (
        <span key={name} class={code === undefined ? "dot good" : "dot bad"}>
          {code === undefined
            ? `Region ${name} answers`
            : `Region ${name} gives no answer (${code}): home decides its requests`}
        </span>
      ))}
      <span class="dot">
        {live.source === "live" ? `Rules of version ${live.version}` : "Deployed rules"}
        {live.ageMs !== undefined && `, read ${duration(live.ageMs)} ago`}
      </span>
      {live.error !== undefined && (
        <span class="dot bad">The published rules are not used: {plain(live.error)}</span>
      )}
      <ControlFacts health={health} />
      {keys?.error !== undefined && (
        <span class="dot bad">The keys of tokens cannot be read: {plain(keys.error)}</span>
      )}
      {stats && <OtherBreakers stats={stats} />}
    </section>
  );
}

/** Requests that fail with the code of an open breaker: the newest two moments say whether any isolate had one. */
function OtherBreakers({ stats: { storeErrors, step } }: { readonly stats: Stats }) {
  const suspended = storeErrors.find(({ code }) => code === "ERR_STORE_SUSPENDED");
  const wasOpen = suspended?.counts.slice(-2).some((count) => count > 0) ?? false;
  return wasOpen ? (
    <span class="dot bad">
      All isolates: a breaker was open in the last 2 {step === "minute" ? "minutes" : "hours"}
    </span>
  ) : (
    <></>
  );
}

type Control = NonNullable<Health["control"]>;

const KEPT: Readonly<Record<Control["persistence"], string>> = {
  aof: "kept in an append-only file",
  rdb: "kept in snapshots",
  managed: "kept by the host",
  none: "a restart loses them",
  unknown: "whether a restart loses them is not known",
};

/** The place of live rules and blocks, whether they outlive a restart there, and whether they were lost. */
function ControlFacts({ health: { control, live } }: { readonly health: Health }) {
  return (
    <>
      {control && (
        <span class={toneOf(control)}>
          Live rules in {placeOf(control)}: {KEPT[control.persistence]}
        </span>
      )}
      {live.restoredAt !== undefined && (
        <span class="dot bad">
          Live rules were lost there, and put back at {moment(live.restoredAt)}:{" "}
          <a href="#/audit">the audit</a> says which
        </span>
      )}
    </>
  );
}

function placeOf({ store, own }: Control): string {
  if (store === "redis") return own ? "a Redis of their own" : "the Redis of the counts";
  return store === "durable-object" ? "a Durable Object" : "memory";
}

function toneOf({ persistence }: Control): string {
  if (persistence === "none") return "dot bad";
  return persistence === "unknown" ? "dot" : "dot good";
}
