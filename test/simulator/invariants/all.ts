import { boundedAdmissions } from "./admissions.ts";
import { honouredVerdicts } from "./fallback.ts";
import type { Invariant, Observed } from "./invariant.ts";
import { trueReasons } from "./reasons.ts";
import { singleExecution } from "./single-execution.ts";
import { guardedAccess } from "./store-access.ts";
import { trueDenials } from "./true-denials.ts";
import { boundedWaits } from "./waits.ts";

/** All invariants as one. */
export function everyInvariant(observed: Observed): Required<Invariant> {
  const all: readonly Invariant[] = [
    boundedAdmissions,
    boundedWaits,
    singleExecution,
    trueReasons,
    guardedAccess,
    honouredVerdicts,
    trueDenials,
  ].map((create) => create(observed));
  return {
    called: (call) => all.forEach((each) => each.called?.(call)),
    sending: (call) => all.forEach((each) => each.sending?.(call)),
    executed: (execution, call) => all.forEach((each) => each.executed?.(execution, call)),
    lost: (loss) => all.forEach((each) => each.lost?.(loss)),
    stepped: (by) => all.forEach((each) => each.stepped?.(by)),
    set: (isolate, by) => all.forEach((each) => each.set?.(isolate, by)),
    reported: (call) => all.forEach((each) => each.reported?.(call)),
    answered: (call, answer) => all.forEach((each) => each.answered?.(call, answer)),
    settled: () => all.forEach((each) => each.settled?.()),
  };
}
