import type { Faults } from "../options/faults.ts";
import type { Policy } from "../policy/policy.ts";
import type { LimiterOptions } from "./options.ts";

/** What rules and middleware read of a request, and what a limiter has instead. */
const REMEDIES = {
  when: "Leave it out: a limiter sees no response. Call release() of the hold after a request that was no failure.",
  partition:
    'Give each policy a dimension, such as by: "ip", and limit() an identity with it, such as { ip: "203.0.113.7" }: a limiter sees no request.',
  onMissing:
    "Leave it out: a limiter sees no request, and a dimension that an identity does not have takes no part.",
};

type Named = keyof typeof REMEDIES;

/** The options without those of requests, for which it adds faults that name a way out. */
export function withoutRequestOptions<Options extends LimiterOptions>(
  options: Options,
  faults: Faults,
): Options {
  const own = without(options, "", faults);
  if (!Array.isArray(own?.policies)) return own;
  const before = faults.list.length;
  // Not map(), which skips the holes of a list.
  const policies = Array.from(own.policies as readonly Policy[], (policy, i) =>
    without(policy, `policies[${i}].`, faults),
  );
  return faults.list.length > before ? { ...own, policies } : own;
}

function without<Options extends object>(options: Options, path: string, faults: Faults): Options {
  if (typeof options !== "object" || options === null) return options;
  const given = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(REMEDIES, name) && value !== undefined,
  );
  if (given.length === 0) return options;
  const others = { ...options };
  for (const [name, value] of given) {
    faults.add(path + name, value, REMEDIES[name as Named]);
    delete others[name as keyof Options];
  }
  return others;
}
