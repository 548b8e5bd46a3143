import { askStore, makeVerdict } from "./ask-store.ts";
import { knownDenials } from "./known-denials.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import { tooCostly, createLocalDenials } from "./local-denials.ts";
import { type AskStore, type Decide, stack } from "./step.ts";
import type { StepsOfFeatures } from "./steps-of-features.ts";

/**
 * The path of a decision: a request passes the steps from top to bottom, and its verdict returns from bottom to top.
 * Inside `makeVerdict`, the store may leave a group unanswered; outside of it, every request has a verdict.
 */
export function decidePath<Settings extends CoreSettings>(
  context: LimiterContext<Settings>,
  features: StepsOfFeatures<Settings>,
): Decide {
  const known = createLocalDenials(context);
  const notice = features.notices?.steps(context);
  const role = features.roles?.steps(context);
  const lease = features.leases?.steps(context);
  return stack<Decide>(
    notice?.onVerdict,
    role?.note,
    features.plans?.steps(context),
    features.shards?.steps(context, known),
    role?.setApart,
    tooCostly(context, known),
    lease?.countDemand,
    features.regions?.steps(context),
    knownDenials(context, known),
    features.optimistic?.steps(context, known, lease),
    features.sharedDenials?.steps(context, known),
    notice?.onSettlement,
    role?.advise,
    makeVerdict(
      context,
      stack<AskStore>(
        features.holds?.answerCounted,
        role?.send,
        lease?.spend,
        role?.count,
        role?.carry,
        features.regions?.answerAlone,
        askStore(context, features.cluster?.partialAnswer),
      ),
    ),
  );
}
