import type { Faults } from "../options/faults.ts";
import { NO_REQUEST, NO_RESPONSE, NOTHING_MISSING } from "../options/messages.ts";
import type { Policy } from "../policy/policy.ts";
import type { LimiterOptions } from "./options.ts";

/** Options that rules and middleware apply to a request, and their counterparts in a limiter. */
const NOT_OF_LIMITERS = {
  when: NO_RESPONSE,
  partition: NO_REQUEST,
  onMissing: NOTHING_MISSING,
};

type Named = keyof typeof NOT_OF_LIMITERS;

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
  const entries = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(NOT_OF_LIMITERS, name) && value !== undefined,
  );
  if (entries.length === 0) return options;
  const others = { ...options };
  for (const [name, value] of entries) {
    faults.add(path + name, value, NOT_OF_LIMITERS[name as Named]);
    delete others[name as keyof Options];
  }
  return others;
}
