import type { PartialAnswer } from "./ask-store.ts";
import type { CoreSettings, LimiterContext } from "./limiter-context.ts";
import type { LocalDenials } from "./local-denials.ts";
import type { PartitionRequest, AskStore, Decide, Step } from "./step.ts";

/**
 * The steps that features add to the path of a decision. A step is `undefined` if no policy uses the feature. This file
 * has only types, so that a bundle contains only the features of its limiters.
 */
export interface StepsOfFeatures<Settings extends CoreSettings = CoreSettings> {
  readonly roles?: WithSteps<(context: LimiterContext<Settings>) => RoleSteps>;
  readonly plans?: WithSteps<(context: LimiterContext<Settings>) => Step<Decide> | undefined>;
  readonly shards?: WithSteps<
    (context: LimiterContext<Settings>, known: LocalDenials) => Step<Decide> | undefined
  >;
  readonly sharedDenials?: WithSteps<
    (context: LimiterContext<Settings>, known: LocalDenials) => Step<Decide> | undefined
  >;
  readonly optimistic?: WithSteps<
    (
      context: LimiterContext<Settings>,
      known: LocalDenials,
      lease?: LeaseSteps,
    ) => Step<Decide> | undefined
  >;
  readonly leases?: WithSteps<(context: LimiterContext<Settings>) => LeaseSteps>;
  readonly regions?: WithSteps<(context: LimiterContext<Settings>) => Step<Decide>> & {
    /** Takes what a region counted by itself as an answer. */
    readonly answerAlone: Step<AskStore>;
  };
  readonly holds?: {
    /** Takes charges as answered that this isolate's memory has counted. */
    readonly answerCounted: Step<AskStore>;
  };
  readonly cluster?: { readonly partialAnswer: PartialAnswer };
  readonly notices?: WithSteps<(context: LimiterContext<Settings>) => NoticeSteps>;
}

interface WithSteps<Make> {
  readonly steps: Make;
}

/** The steps of policies with leases. */
export interface LeaseSteps {
  /** Counts the demand of requests that are denied before the lease is read. */
  readonly countDemand?: Step<Decide>;
  /** Whether the lease covers a request, so that it does not wait. */
  readonly covers?: (asked: PartitionRequest) => boolean;
  /** Takes units from the lease. */
  readonly spend?: Step<AskStore>;
}

/** The steps of policies with `notify`. */
export interface NoticeSteps {
  /** Watches decisions for thresholds. */
  readonly onVerdict?: Step<Decide>;
  /** Watches the store's answers to requests that were admitted ahead of it. */
  readonly onSettlement?: Step<Decide>;
}

/** The steps of policies that only advise, or count denials or failures. */
export interface RoleSteps {
  /** Notes denials that the store does not see. */
  readonly note?: Step<Decide>;
  /** Takes policies in shadow out of the request, and adds their rows to its verdict. */
  readonly setApart?: Step<Decide>;
  /** Adds the rows of soft policies. */
  readonly advise?: Step<Decide>;
  /** Sends the noted denials to the store, which counts them. */
  readonly count?: Step<AskStore>;
  /** Sends the units that policies in shadow have not counted, after calls that could not take them along. */
  readonly send?: Step<AskStore>;
  /** Adds policies in shadow to calls that go to the store anyway. */
  readonly carry?: Step<AskStore>;
}
