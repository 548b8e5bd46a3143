import { askStore } from "./ask-store.ts";
import type { StepsOfFeatures } from "./features.ts";
import type { CoreSettings, Kit } from "./kit.ts";
import { knownDenials } from "./known-denials.ts";
import { createKnown } from "./known.ts";
import { outage } from "./outage.ts";
import { type Ask, type Decide, stack } from "./step.ts";
import { tooCostly } from "./too-costly.ts";

/**
 * How a request is decided: it meets the steps from top to bottom, and its verdict from bottom to top. Inside of `outage` a
 * group may be left without an answer; outside of it every request has a verdict.
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
    notice?.look,
    role?.note,
    features.plans?.steps(kit),
    features.shards?.steps(kit, known),
    tooCostly(kit, known),
    lease?.note,
    knownDenials(kit, known),
    features.sharedDenials?.steps(kit, known),
    features.optimistic?.steps(kit, known, lease),
    notice?.settled,
    role?.advise,
    outage(kit, stack<Ask>(lease?.take, role?.count, askStore(kit))),
  );
}
