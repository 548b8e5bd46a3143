import type { Faults } from "../../options/faults.ts";
import {
  FUNCTION,
  NOTICE_WITHOUT_LISTENER,
  NOTIFY,
  NOTIFY_TWICE,
  SHARE_OF_LIMIT,
} from "../../options/messages.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Policy } from "../../policy/policy.ts";
import type { NoticeListener } from "./listener.ts";
import type { NoticeSettings } from "./step.ts";

/** Each is a key of its own, and people read few. */
export const MAX_SHARES = 8;

/** The options of notices: their shares and their listener. */
interface NoticedLimiter {
  readonly policies: readonly Policy[];
  readonly onNotice?: NoticeListener;
}

/** Checks the options of notices, and returns the shares of each policy, also of those under a plan. */
export function compileNotices(
  { policies: unchecked, onNotice }: NoticedLimiter,
  policies: readonly CompiledPolicy[],
  faults: Faults,
): (policy: CompiledPolicy) => Pick<CompiledPolicy, "notify"> {
  if (onNotice !== undefined && typeof onNotice !== "function") {
    faults.add("onNotice", onNotice, FUNCTION, "takes a decision and a policy");
  }
  // Anything else than a list is a fault of its own.
  const own = Array.isArray(unchecked)
    ? Array.from(unchecked, (policy) => Object(policy) as Policy)
    : [];
  const shares = own.map(({ notify }, i) => sharesOf(notify, `policies[${i}].notify`, faults));
  const ofName = new Map(policies.map(({ name }, i) => [name, shares[i]]));
  return ({ name }) => {
    const notify = ofName.get(name);
    return notify ? { notify } : {};
  };
}

/** Rejects notices without a listener. */
export function checkListener({ policies, onNotice }: NoticeSettings, faults: Faults): void {
  const first = policies.findIndex(({ notify }) => notify !== undefined);
  if (first === -1 || onNotice !== undefined) return;
  faults.add(`policies[${first}].notify`, policies[first]!.notify, NOTICE_WITHOUT_LISTENER);
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
