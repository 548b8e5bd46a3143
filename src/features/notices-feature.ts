import type { Faults } from "../options/faults.ts";
import { FUNCTION, NOTIFY, NOTIFY_TWICE, SHARE_OF_LIMIT } from "../options/messages.ts";
import { given, type MadeBy, optionValue } from "../options/option-value.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Policy } from "../policy/policy.ts";
import type { NoticeListener } from "./notice-marks.ts";
import { noticeSteps } from "./notice-steps.ts";

/** A listener that is told when a partition has used a share of a limit, and when it begins to be denied. */
export const notices = { compile: compileNotices, steps: noticeSteps };

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

/** Each is a key of its own, and people read few. */
export const MAX_SHARES = 8;

/** The options of notices: their shares and their listeners. */
export interface NoticedLimiter {
  readonly policies: readonly Policy[];
}

/** Checks the options of notices, and returns the shares of each policy, also of those under a plan. */
function compileNotices(
  { policies: unchecked }: NoticedLimiter,
  policies: readonly CompiledPolicy[],
  faults: Faults,
): (policy: CompiledPolicy) => Pick<CompiledPolicy, "notify" | "onNotice"> {
  // Anything else than a list is a fault of its own.
  const own = Array.isArray(unchecked)
    ? Array.from(unchecked, (policy) => Object(policy) as Policy)
    : [];
  const shares = own.map(({ notify }, i) => sharesOf(notify, `policies[${i}].notify`, faults));
  own.forEach(({ onNotice }, i) => {
    if (onNotice === undefined || typeof onNotice === "function") return;
    faults.add(`policies[${i}].notify`, onNotice, FUNCTION, "takes a decision and a policy");
  });
  const ofName = new Map(policies.map(({ name }, i) => [name, i]));
  return ({ name }) => {
    const i = ofName.get(name)!;
    const [notify, onNotice] = [shares[i], own[i]?.onNotice];
    return notify ? { notify, onNotice } : {};
  };
}

/** The shares of an option, in descending order; `undefined` without any. */
function sharesOf(notify: unknown, path: string, faults: Faults): readonly number[] | undefined {
  if (notify === undefined) return undefined;
  if (!Array.isArray(notify)) return isShare(notify, path, faults) ? [notify] : undefined;
  if (notify.length === 0 || notify.length > MAX_SHARES) {
    faults.add(path, notify, NOTIFY, MAX_SHARES);
    return undefined;
  }
  const shares = Array.from(notify as unknown[]).filter((share, i): share is number => {
    const at = `${path}[${i}]`;
    if (!isShare(share, at, faults)) return false;
    if (notify.indexOf(share) < i) faults.add(at, share, NOTIFY_TWICE);
    return true;
  });
  return shares.sort((a, b) => b - a);
}

function isShare(share: unknown, path: string, faults: Faults): share is number {
  if (typeof share === "number" && share > 0 && share <= 1) return true;
  faults.add(path, share, SHARE_OF_LIMIT);
  return false;
}
