import { given, optionValue, type MadeBy } from "../options/option-value.ts";
import type { NoticeListener } from "./notice-listener.ts";
import { notices } from "./notices-feature.ts";

/**
 * Calls a listener when an identity has used this share of the limit, once per window. If a decision shows several shares, it
 * tells the highest. It also tells when requests begin to be denied by this policy. No request waits for that.
 *
 * @param shares a number, or a list of 1 to 8: with 0.8, 800 of a limit of 1,000. Range: above 0 to 1
 * @example
 * fixedWindow({ name: "daily", limit: 1_000, window: "1d", notify: notify([0.8, 1], (decision, { share }) => mail(share)) })
 */
export function notify(
  shares: number | readonly number[],
  listener: NoticeListener,
): MadeBy<"notify()"> {
  return optionValue("notify", { notify: given(shares), onNotice: given(listener) }, { notices });
}
