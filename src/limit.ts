import { Faults } from "./errors.ts";
import { checkSettings, openStore } from "./limiter/create-limiter.ts";
import type { Decision } from "./limiter/decision.ts";
import { buildLimiter, type CostOptions, type Limiter } from "./limiter/limiter.ts";
import type { Policy } from "./policy/policy.ts";
import { processEnvironment } from "./store/redis-client.ts";
import type { Store } from "./store/store.ts";

/** Different policies kept at most; a policy built anew with each call is the same as long as its numbers are. */
const MAX_LIMITERS = 1_000;

let store: Store | undefined;
const byPolicy = new Map<string, Limiter>();

/**
 * Decides a request in one call. The Redis comes from `UPSTASH_REDIS_REST_URL` and `UPSTASH_REDIS_REST_TOKEN` (or
 * `KV_REST_API_URL` and `KV_REST_API_TOKEN`); what the isolate knows is shared by all calls.
 *
 * Calls with equal policies count together; give a policy a `name` to keep it apart.
 *
 * @throws ConfigurationError if the policy has faults, or the variables are missing
 * @throws TidegateError `ERR_IDENTITY`, `ERR_COST`
 * @example
 * const decision = await limit("user:42", tokenBucket({ limit: 20, refill: 10, per: "1s" }));
 * if (!decision.allowed) return decision.response();
 */
export async function limit(
  identity: string,
  policy: Policy,
  options?: CostOptions,
): Promise<Decision> {
  return limiterOf(policy).limit(identity, options);
}

function limiterOf(policy: Policy): Limiter {
  const key = JSON.stringify(policy);
  const existing = byPolicy.get(key);
  if (existing) return existing;
  const faults = new Faults();
  const settings = checkSettings({ policies: [policy] }, faults);
  store ??= openStore({}, processEnvironment(), faults);
  faults.throwIfAny();
  const limiter = buildLimiter(store!, settings);
  byPolicy.set(key, limiter);
  if (byPolicy.size > MAX_LIMITERS) byPolicy.delete(byPolicy.keys().next().value!);
  return limiter;
}
