import type { TrialCounts } from "../store/control/trial.ts";
import { codeOf, FIELD } from "./fields.ts";
import { RESULTS, TRIAL_SIDES } from "./outcomes.ts";
import type { Collect } from "./tally.ts";

/** Counts what this isolate decides while a version is tried on a part of the clients. */
export interface TrialMeter {
  decided(counts: TrialCounts): void;
  /** The store took the version back, because this isolate told it of too many denials. */
  takenBack(): void;
  drain(collect: Collect): void;
}

export function createTrialMeter(): TrialMeter {
  const counted = new Map<string, number>();

  function add(field: string, count: number): void {
    if (count > 0) counted.set(field, (counted.get(field) ?? 0) + count);
  }

  return {
    decided(counts) {
      for (const side of TRIAL_SIDES) {
        const { decided, denied } = counts[side];
        add(trialField(side, "allowed"), decided - denied);
        add(trialField(side, "denied"), denied);
      }
    },

    takenBack: () => add(FIELD.takenBack, 1),

    drain(collect) {
      for (const [field, count] of counted) collect(field, count);
      counted.clear();
    },
  };
}

function trialField(side: (typeof TRIAL_SIDES)[number], result: (typeof RESULTS)[number]): string {
  return FIELD.trialDecisions + codeOf(TRIAL_SIDES.indexOf(side)) + codeOf(RESULTS.indexOf(result));
}
