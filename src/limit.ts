import { IMPLEMENTATION } from "./algorithms/algorithm.ts";
import type { WithoutLimiter } from "./algorithms/common-options.ts";
import type { Decision } from "./decide/decision.ts";
import { byText, checkCallOptions } from "./decide/identify.ts";
import type { LimiterPath } from "./decide/limiter-context.ts";
import type { CostOptions } from "./decide/limiter-types.ts";
import { createLocalUnits, type LocalUnits } from "./decide/local-units.ts";
import { createContext, createPath } from "./limiter/limiter.ts";
import { DEFAULTS } from "./limiter/settings.ts";
import { Faults } from "./options/faults.ts";
import { ONLY_IN_LIMITERS, ONLY_WITH_HOLDS } from "./options/messages.ts";
import { COMMON, compilePolicy } from "./policy/compile.ts";
import type { Policy } from "./policy/policy.ts";
import { LIMITER_TRAITS } from "./policy/traits.ts";
import { readEnvironment } from "./runtime/environment.ts";
import { setRecent } from "./runtime/lru.ts";
import { takeTogether } from "./store/decide-together.ts";
import { DEFAULT_TIMEOUT_MS, guardStore } from "./store/guarded-store.ts";
import { redisFromEnvironment } from "./store/redis/endpoint.ts";
import { redisStore } from "./store/redis/store.ts";
import type { Store } from "./store/store.ts";

/** The most policies that are kept. Policies with equal options count as one, also if each call builds its own. */
const MAX_POLICIES = 1_000;

let store: Store | undefined;

/** Shared by all policies, so that one bound holds for all of them together. */
let units: LocalUnits | undefined;
const byPolicy = new Map<string, LimiterPath>();

/**
 * Decides a request in one call. The Redis comes from `UPSTASH_REDIS_REST_URL` and `UPSTASH_REDIS_REST_TOKEN` (or
 * `KV_REST_API_URL` and `KV_REST_API_TOKEN`); calls with equal policies share the
 * isolate's known denials.
 *
 * Calls with equal policies count together; give a policy a `name` to keep it apart. A Redis that fails is suspended as
 * a whole. With a Redis Cluster, use `createLimiter()`, which continues with the masters that answer. The policy has no
 * `by`, `counts`, `lease`, `optimistic`, `notify`, `shards` or `refundable`, no window of a calendar such as `month()`, and is no
 * `concurrency()`: for these, use `createLimiter()`.
 *
 * @throws ConfigurationError if the policy has faults, or the variables are missing
 * @throws TidegateError `ERR_IDENTITY`, `ERR_COST`
 * @example
 * const decision = await limit("user:42", tokenBucket({ limit: 20, refill: 10, per: "1s" }));
 * if (!decision.allowed) return decision.response();
 */
export async function limit(
  identity: string,
  policy: Policy & WithoutLimiter,
  options?: CostOptions,
): Promise<Decision> {
  checkCallOptions(options, ["cost"]);
  const { ask, show } = limiterFor(policy);
  return show(await ask("consume", identity, options));
}

/** A limiter of one policy, without features. */
function limiterFor(policy: Policy): LimiterPath {
  const key = keyOf(policy);
  const existing = byPolicy.get(key);
  if (existing) return existing;
  const faults = new Faults();
  const compiled = compilePolicy(policy, "policies[0]", faults, checkWithoutLimiter);
  store ??= storeOfEnvironment(faults);
  faults.throwIfAny();
  units ??= createLocalUnits();
  const made = createPath(
    createContext(
      store!,
      { ...DEFAULTS, policies: [compiled!] },
      { units, together: takeTogether },
    ),
    {},
    byText,
  );
  setRecent(byPolicy, key, made, MAX_POLICIES);
  return made;
}

/** Reports options that need features. */
function checkWithoutLimiter(policy: Policy, path: string, faults: Faults): void {
  for (const option of [...LIMITER_TRAITS, "mode"] as const) {
    if (policy[option] === undefined) continue;
    faults.add(`${path}.${option}`, policy[option], ONLY_IN_LIMITERS);
  }
  if (policy[IMPLEMENTATION]?.hasSlots) {
    faults.add(`${path}.algorithm`, policy.algorithm, ONLY_WITH_HOLDS);
  }
}

/** Equal for equal policies; empty for a policy that JSON cannot represent. Such a policy has faults. */
function keyOf(policy: Policy): string {
  const fields = Object(policy);
  const { options = {} } = fields[IMPLEMENTATION] ?? {};
  const values = [...COMMON, ...Object.keys(options)].map((option) => fields[option]);
  try {
    const key = JSON.stringify(values);
    // An unknown option makes it a different policy, whose fault the compiler then reports.
    return key + Object.keys(policy).length;
  } catch {
    return "";
  }
}

function storeOfEnvironment(faults: Faults): Store | undefined {
  const settings = { timeoutMs: DEFAULT_TIMEOUT_MS, now: DEFAULTS.now };
  const redis = redisFromEnvironment(readEnvironment(), settings, faults);
  return redis && guardStore(redisStore(redis.client, {}, redis.dialect), settings);
}
