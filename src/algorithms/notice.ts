import { defineAlgorithm, type ImplementationOf, MAX_UNITS, type PolicyOf } from "./algorithm.ts";
import type { AlgorithmModel } from "./model.ts";
import { NOTICE as script } from "./scripts.generated.ts";

/** Not a limit: isolates ask it before they send a notice, and no option makes one. */
export type NoticePolicy = PolicyOf<"notice", { readonly limit: number }>;

interface NoticeParameters extends Readonly<Record<string, number>> {
  /** The length of the window of the policy that the notice is about, in microseconds. */
  readonly windowUs: number;
  /** The limit of that policy. */
  readonly ofLimit: number;
}

/** The state of `lua/algorithms/notice.lua`, and its time to live. */
interface NoticeState {
  readonly endsUs: number;
  readonly told: number;
  readonly tellingUs: number;
  readonly keptUntilUs: number;
}

/** Longer than Workers keep a request after its response: then the isolate has sent the notice, or never will. */
const PATIENCE_US = 60_000_000;

/** The cost of a claim about a policy whose windows have no end. */
export const WITHOUT_END = 1;

/** Whether two ends are of one window: an isolate may have estimated one of them. */
export function isSameWindow(windowUs: number, oneUs: number, otherUs: number): boolean {
  return 2 * Math.abs(oneUs - otherUs) < windowUs;
}

const countNotice: AlgorithmModel<NoticeParameters, NoticeState> = (state, request) => {
  const { nowUs, operation, cost, parameters } = request;
  const { windowUs, ofLimit } = parameters;
  const patienceUs = Math.min(windowUs, PATIENCE_US);
  let { endsUs, told, tellingUs } = state ?? { endsUs: 0, told: 0, tellingUs: 0 };
  let aboutUs = cost;
  if (cost === WITHOUT_END) {
    aboutUs = endsUs > nowUs && endsUs <= nowUs + windowUs ? endsUs : nowUs + windowUs;
  }
  const isSame = isSameWindow(windowUs, aboutUs, endsUs);
  const isNewer = !isSame && (aboutUs > endsUs || endsUs > nowUs + 2 * windowUs);
  if (isSame) aboutUs = endsUs;
  else if (isNewer) [told, tellingUs] = [0, 0];
  if (tellingUs > nowUs + patienceUs) tellingUs = nowUs;

  const allowed = (isSame || isNewer) && told < ofLimit && tellingUs <= nowUs;
  const claims = operation === "consume" && allowed;
  const confirms = operation === "charge" && isSame && told < ofLimit;
  if (claims) tellingUs = nowUs + patienceUs;
  else if (confirms) [told, tellingUs] = [ofLimit, 0];
  const leftUs = Math.max(0, aboutUs - nowUs);
  const keptUntilUs = Math.max(aboutUs, nowUs) + patienceUs;
  return {
    allowed,
    remaining: aboutUs,
    retryAfterUs: told < ofLimit && tellingUs > nowUs ? tellingUs - nowUs : leftUs,
    resetAfterUs: leftUs,
    state: claims || confirms ? { endsUs: aboutUs, told, tellingUs, keptUntilUs } : state,
  };
};

export const NOTICE: ImplementationOf<NoticePolicy> = /* @__PURE__ */ defineAlgorithm<
  NoticePolicy,
  Record<never, never>,
  NoticeParameters
>({
  name: "notice",
  code: "n",
  layout: 1,
  maxLimit: MAX_UNITS,
  options: {},
  nameParts: () => [],
  quotaOf: (limit) => ({ limit, windowUs: 0, parameters: { windowUs: 0, ofLimit: 0 } }),
  parameters: ["windowUs", "ofLimit"],
  meaning: () => [],

  // No option leases a notice.
  lease: { tighten: (quota) => quota, maxUs: () => 0 },
  partOf: (quota) => quota,
  script,
  model: countNotice,
});
