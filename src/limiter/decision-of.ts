import { createDecision, type Decision } from "../decision/decision.ts";
import type { Outcome } from "../decision/outcome.ts";
import type { StoreError } from "../errors/errors.ts";
import type { Reply } from "../store/store.ts";
import { isAllowed, type PartitionedRequest, pick } from "./selection.ts";
import type { LimiterSettings } from "./settings.ts";

type Because = Pick<Outcome, "reason" | "status"> & { readonly error?: StoreError };

const ALLOWED: Because = { reason: "allowed", status: 200 };
const LIMITED: Because = { reason: "limited", status: 429 };

/**
 * The decision that the rows of all policies make. It lists the policies in the order given, and those in shadow apart.
 *
 * @param because Default: allowed if no policy denies, else limited
 */
export function decisionOf(
  { selection: { policies, listed, shadows } }: PartitionedRequest,
  { nowUs, rows }: Pick<Reply, "nowUs" | "rows">,
  { headers: headerOptions, random }: Pick<LimiterSettings, "headers" | "random">,
  because: Because = isAllowed({ policies, rows }) ? ALLOWED : LIMITED,
): Decision {
  const all = { policies, rows };
  const shown = listed ? pick(all, listed) : all;
  const shadow = shadows.length > 0 ? { shadow: pick(all, shadows) } : undefined;
  return createDecision({ ...because, ...shown, ...shadow, nowUs, headerOptions, random });
}
