import type { CoreSettings, Kit } from "./kit.ts";
import type { Known } from "./known.ts";
import type { Ask, AskedGroup, Decide, Step } from "./step.ts";

/**
 * What features add to the path of a decision, each at its place. A step is `undefined` where no policy uses the feature. Only
 * their types are here: a bundle contains the features that its limiters are made with.
 */
export interface StepsOfFeatures<Settings extends CoreSettings = CoreSettings> {
  readonly roles?: WithSteps<(kit: Kit<Settings>) => RoleSteps>;
  readonly plans?: WithSteps<(kit: Kit<Settings>) => Step<Decide> | undefined>;
  readonly shards?: WithSteps<(kit: Kit<Settings>, known: Known) => Step<Decide> | undefined>;
  readonly sharedDenials?: WithSteps<
    (kit: Kit<Settings>, known: Known) => Step<Decide> | undefined
  >;
  readonly optimistic?: WithSteps<
    (kit: Kit<Settings>, known: Known, lease?: LeaseSteps) => Step<Decide> | undefined
  >;
  readonly leases?: WithSteps<(kit: Kit<Settings>) => LeaseSteps>;
  readonly notices?: WithSteps<(kit: Kit<Settings>) => NoticeSteps>;
}

interface WithSteps<Make> {
  readonly steps: Make;
}

/** What policies need whose quota is reserved ahead of time. */
export interface LeaseSteps {
  /** Counts the demand of requests that are denied without a look at what is held. */
  readonly note?: Step<Decide>;
  /** Whether what is held serves a request, so that it does not wait. */
  readonly serves?: (asked: AskedGroup) => boolean;
  /** Takes from what is held. */
  readonly take?: Step<Ask>;
}

/** What policies need whose partitions somebody is told of. */
export interface NoticeSteps {
  /** Looks at what is decided. */
  readonly look?: Step<Decide>;
  /** Looks at what the store says about requests that were admitted ahead of it. */
  readonly settled?: Step<Decide>;
}

/** What policies need that only advise, or count denials or failures. */
export interface RoleSteps {
  /** Notes the denials that the store does not see. */
  readonly note?: Step<Decide>;
  /** Shows what policies would do that deny nobody. */
  readonly advise?: Step<Decide>;
  /** Has the store count the denials that were noted. */
  readonly count?: Step<Ask>;
}
