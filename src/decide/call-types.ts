import type { Labelled } from "../algorithms/common-options.ts";
import type { MadeBy } from "../options/option-value.ts";
import type { CallTypes, Cost, Identity } from "./limiter-types.ts";

/** The value of `plans()`. */
export interface PlansNamed<Plan extends string> extends MadeBy<"plans()"> {
  readonly names?: Plan;
}

/** The types of the calls of a limiter with these policies and plans. */
export interface CallTypesOf<Of, Plans> extends CallTypes {
  readonly identity: IdentityBy<ByOf<Of>>;
  readonly cost: CostBy<NameOf<Of>>;
  readonly plan: PlanOf<Plans>;
}

type NameOf<Of> = Of extends Labelled<infer Name, string> ? Name : string;
type ByOf<Of> = Of extends Labelled<string, infer By> ? By : string;
/** The names of plans; any text where they are not literal. */
export type PlanOf<Plans> = Plans extends PlansNamed<infer Plan> ? Plan : string;

/** Without dimensions a text; with those that are literal, some of them, and `"*"` for `reset()`. */
type IdentityBy<By extends string> = [By] extends [never]
  ? string
  : string extends By
    ? Identity
    : { readonly [Dimension in By | "*"]?: string | undefined };

/** A number for some of the policies. Optional ones would take `undefined`, which is no cost. */
type CostBy<Name extends string> = string extends Name
  ? Cost
  : number | { [Policy in Name]: Readonly<Record<Policy, number>> }[Name];
