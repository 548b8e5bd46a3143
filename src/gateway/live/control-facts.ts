import type { LiveStore, Persistence } from "../../store/control/control-store.ts";
import type { ControlPlace } from "../../store/control/place.ts";

/** Where the control data is, and whether it outlives a restart there. */
export interface ControlFacts {
  readonly store: ControlPlace["kind"];
  /** Whether the counts are elsewhere. */
  readonly own: boolean;
  /** `unknown` also until the store was asked. */
  readonly persistence: Persistence;
}

const NOT_KEPT =
  "live rules, blocks and the audit are in a Redis without an append-only file and without snapshots: a restart loses them. Give them a Redis that keeps its data, with CONTROL_REDIS_REST_URL and CONTROL_REDIS_REST_TOKEN.";

/** What an isolate knows of its control store. */
export interface ControlInspection {
  /** Asks once, and reports a store that keeps nothing. */
  ask(): Promise<void>;
  facts(): ControlFacts;
}

export function inspectControl(
  { kind: store, isOwn: own }: ControlPlace,
  persistenceOf: LiveStore["persistence"],
  report: (message: string) => void,
): ControlInspection {
  let isAsked = false;
  let persistence: Persistence = "unknown";
  return {
    async ask() {
      if (isAsked) return;
      isAsked = true;
      persistence = await persistenceOf();
      if (persistence === "none") report(NOT_KEPT);
    },
    facts: () => ({ store, own, persistence }),
  };
}
