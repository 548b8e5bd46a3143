import { askStore } from "./ask-store.ts";
import { tooCostly } from "./cost.ts";
import type { StepsOfFeatures } from "./features.ts";
import type { CoreSettings, Kit } from "./kit.ts";
import { knownDenials, createKnown } from "./known-denials.ts";
import { outage } from "./outage.ts";
import { type AskStore, type Decide, stack } from "./step.ts";

/**
 * The path of a decision: a request passes the steps from top to bottom, and its verdict returns from bottom to top.
 * Inside `outage`, the store may leave a group unanswered; outside of it, every request has a verdict.
 */
export function decidePath<Settings extends CoreSettings>(
  kit: Kit<Settings>,
  features: StepsOfFeatures<Settings>,
): Decide {
  const known = createKnown(kit);
  const notice = features.notices?.steps(kit);
  const role = features.roles?.steps(kit);
  const lease = features.leases?.steps(kit);
  return stack<Decide>(
    notice?.onVerdict,
    role?.note,
    features.plans?.steps(kit),
    features.shards?.steps(kit, known),
    role?.setApart,
    tooCostly(kit, known),
    lease?.countDemand,
    knownDenials(kit, known),
    features.optimistic?.steps(kit, known, lease),
    features.sharedDenials?.steps(kit, known),
    notice?.onSettlement,
    role?.advise,
    outage(
      kit,
      stack<AskStore>(
        role?.send,
        lease?.spend,
        role?.count,
        role?.carry,
        askStore(kit, features.cluster?.partialAnswer),
      ),
    ),
  );
}
