import type { Faults } from "../options/faults.ts";
import { FUNCTION, NOTIFY, NOTIFY_TWICE, SHARE_OF_LIMIT } from "../options/messages.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import type { Policy } from "../policy/policy.ts";

/** Each is a key of its own, and people read few. */
export const MAX_SHARES = 8;

/** The options of notices: their shares and their listeners. */
interface NoticedLimiter {
  readonly policies: readonly Policy[];
}

/** Checks the options of notices, and returns the shares of each policy, also of those under a plan. */
export function compileNotices(
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
