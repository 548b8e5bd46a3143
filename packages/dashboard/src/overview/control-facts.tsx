import type { Health } from "../api/answers.ts";
import { moment } from "../parts/format.ts";

type Control = NonNullable<Health["control"]>;

const KEPT: Readonly<Record<Control["persistence"], string>> = {
  aof: "kept in an append-only file",
  rdb: "kept in snapshots",
  managed: "kept by the host",
  none: "a restart loses them",
  unknown: "whether a restart loses them is not known",
};

/** The place of live rules and blocks, whether they outlive a restart there, and whether they were lost. */
export function ControlFacts({ health: { control, live } }: { readonly health: Health }) {
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
