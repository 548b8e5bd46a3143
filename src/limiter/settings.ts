import type { CoreSettings } from "../decide/kit.ts";
import type { HeaderOptions } from "../decision/fields.ts";
import { checkLeases } from "../features/leases/check.ts";
import { checkPlans } from "../features/plans/plans.ts";
import type { PlanSettings } from "../features/plans/step.ts";
import type { SharedDenialSettings } from "../features/shared-denials/step.ts";
import type { Faults } from "../options/faults.ts";
import {
  DENIAL_CACHE,
  HEADER_FIELD,
  HEADERS,
  LEASE_WITH_SHARING,
  PREFIX as PREFIX_FAULT,
  SHARED_DENIALS,
} from "../options/messages.ts";
import { checkOptions } from "../options/unknown-options.ts";
import { type CompiledPolicy, compilePolicies } from "../policy/compile.ts";
import { checkLimiterTraits } from "../policy/limiter-traits.ts";
import { oncePerPolicy } from "../policy/once-per-policy.ts";
import { tightenPolicy } from "../policy/tighten.ts";
import { checkRetryJitter, checkVerdict } from "../policy/traits.ts";
import { monotonicNow, steadyClock } from "../runtime/clock.ts";
import { checkBy, checkSharding } from "./check-policies.ts";
import type { LimiterOptions } from "./options.ts";

/** The settings of a limiter with every feature, checked. */
export interface LimiterSettings extends CoreSettings, PlanSettings, SharedDenialSettings {}

/** The start of every key: no brace in it can become the hash tag. */
export const PREFIX = /^[A-Za-z0-9._:-]{1,64}$/;

/** The defaults of all options. */
export const DEFAULTS = {
  plans: new Map<string, never>(),
  prefix: "tg",
  onFailure: "local",
  maxDenials: 10_000,
  headers: {},
  random: () => Math.random(),
  now: monotonicNow,
} as const satisfies Omit<LimiterSettings, "policies">;

/**
 * Checks every option of a limiter except those of its store; after a fault, the answer has values to go on with.
 *
 * @param by for each policy the dimension that it counts by. Default: its own `by`
 */
export function checkSettings(
  options: LimiterOptions,
  faults: Faults,
  by?: readonly string[],
): LimiterSettings {
  const { onFailure = DEFAULTS.onFailure, retryJitter = 0, store } = options;
  const { headers = DEFAULTS.headers } = options;
  const before = faults.list.length;
  const compiled = compilePolicies(options.policies, "policies", faults, checkLimiterTraits);
  const placed = by ? compiled.map((policy, i) => ({ ...policy, by: by[i] })) : compiled;
  checkSharding(options, faults);
  if (faults.list.length === before) checkBy(placed, faults);
  const { policies, plans } =
    faults.list.length === before
      ? checkPlans(options.plans, "plans", options.policies, placed, faults)
      : { policies: placed, plans: DEFAULTS.plans };
  const checked = faults.list.length === before ? policies : [];
  const leases = checkLeases(options, { policies: checked, plans }, faults);
  checkVerdict(onFailure, "onFailure", faults);
  checkRetryJitter(retryJitter, "retryJitter", faults);
  checkHeaders(headers, faults);
  checkSharing(options, faults);
  const leaseOf = new Map(policies.map(({ name }, i) => [name, leases[i]]));
  const enforce = oncePerPolicy((policy) =>
    enforced(policy, leaseOf.get(policy.name), retryJitter),
  );
  return {
    policies: policies.map(enforce),
    plans: new Map([...plans].map(([plan, list]) => [plan, list.map(enforce)])),
    prefix: checkPrefix(options.prefix ?? DEFAULTS.prefix, faults),
    onFailure,
    maxDenials: checkDenialCache(options.denialCache, faults),
    ...(options.sharedDenials && { sharedDenials: options.sharedDenials }),
    headers,
    random: DEFAULTS.random,
    now: typeof store?.now === "function" ? steadyClock(() => store.now!() / 1000) : DEFAULTS.now,
  };
}

/** The policy as Redis enforces it and as clients are told of it. */
function enforced(
  policy: CompiledPolicy,
  leaseUs: number | undefined,
  retryJitter: number,
): CompiledPolicy {
  const tightened = leaseUs === undefined ? policy : tightenPolicy(policy, leaseUs);
  return { ...tightened, leaseUs, retryJitter: policy.retryJitter ?? retryJitter };
}

function checkPrefix(prefix: string, faults: Faults): string {
  if (typeof prefix !== "string" || !PREFIX.test(prefix)) {
    faults.add("prefix", prefix, PREFIX_FAULT);
  }
  return prefix;
}

function checkDenialCache(denialCache: LimiterOptions["denialCache"], faults: Faults): number {
  if (denialCache === undefined) return DEFAULTS.maxDenials;
  if (denialCache === false) return 0;
  if (typeof denialCache === "object" && denialCache !== null) {
    checkOptions(denialCache, ["maxEntries"], "denialCache.", faults);
  }
  const { maxEntries = DEFAULTS.maxDenials } = Object(denialCache) as { maxEntries?: number };
  if (
    typeof denialCache !== "object" ||
    !(Number.isInteger(maxEntries) && maxEntries >= 1 && maxEntries <= 1_000_000)
  ) {
    faults.add("denialCache", denialCache, DENIAL_CACHE);
  }
  return maxEntries;
}

function checkSharing(
  { sharedDenials, denialCache, store, lease }: LimiterOptions,
  faults: Faults,
): void {
  if (sharedDenials === undefined) return;
  if (typeof sharedDenials?.share !== "function" || denialCache === false || store !== undefined) {
    faults.add(
      "sharedDenials",
      // The cache's credentials may be inside.
      Object(sharedDenials) === sharedDenials ? "(an object)" : sharedDenials,
      SHARED_DENIALS,
    );
  }
  if (lease !== undefined) {
    faults.add("lease", lease, LEASE_WITH_SHARING);
  }
}

function checkHeaders(headers: HeaderOptions, faults: Faults): void {
  if (typeof headers !== "object" || headers === null) {
    faults.add("headers", headers, HEADERS);
    return;
  }
  for (const [field, value] of Object.entries(headers)) {
    if (["draft-11", "x-ratelimit"].includes(field) && typeof value === "boolean") continue;
    faults.add(`headers.${field}`, value, HEADER_FIELD);
  }
}
