import type { LiveStore, Persistence } from "../../store/control/control-store.ts";
import type { ControlPlace } from "../../store/counts-place.ts";

/** The place of the control data, and whether the data outlives a restart there. */
export interface ControlFacts {
  readonly store: ControlPlace["kind"];
  /** Whether the counts are elsewhere. */
  readonly own: boolean;
  /** `unknown` also until the store has answered. */
  readonly persistence: Persistence;
}

const NOT_KEPT =
  "live rules, blocks and the audit are in a Redis without an append-only file and without snapshots: a restart loses them. Give them a Redis that keeps its data, with CONTROL_REDIS_REST_URL and CONTROL_REDIS_REST_TOKEN.";

/** The facts that an isolate knows of its control store. */
export interface ControlInspection {
  /** Asks until it has an answer, and reports a store that keeps nothing. Never rejects. */
  ask(): Promise<void>;
  facts(): ControlFacts;
}

export function inspectControl(
  { kind: store, isOwn: own }: ControlPlace,
  persistenceOf: LiveStore["persistence"],
  report: (message: string) => void,
): ControlInspection {
  /** `undefined` until the store has answered. The answer is kept, not its promise: on Workers the request that asks may end before. */
  let persistence: Persistence | undefined;
  return {
    async ask() {
      if (persistence !== undefined) return;
      const answer = await persistenceOf().catch(() => undefined);
      if (answer === "none" && persistence === undefined) report(NOT_KEPT);
      persistence ??= answer;
    },
    facts: () => ({ store, own, persistence: persistence ?? "unknown" }),
  };
}
