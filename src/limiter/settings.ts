import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import type { HeaderOptions } from "../decide/header-fields.ts";
import type { CoreSettings } from "../decide/limiter-context.ts";
import type { Features } from "../features/features.ts";
import type { NoticeSettings } from "../features/notice-steps.ts";
import type { PlanSettings } from "../features/plans-feature.ts";
import type { Planned } from "../features/plans.ts";
import type { SharedDenialSettings } from "../features/shared-denials-step.ts";
import type { Faults } from "../options/faults.ts";
import {
  DENIAL_CACHE,
  HEADER_FIELD,
  HEADERS,
  PREFIX as PREFIX_FAULT,
} from "../options/messages.ts";
import { checkOptions } from "../options/unknown-options.ts";
import { type CheckMore, type CompiledPolicy, compilePolicies } from "../policy/compile.ts";
import { oncePerPolicy } from "../policy/once-per-policy.ts";
import { checkRetryJitter, checkVerdict } from "../policy/traits.ts";
import { monotonicNow, steadyClock } from "../runtime/time.ts";
import type { LimiterOptions } from "./options.ts";

/** The settings of a limiter with any features, checked. */
export interface LimiterSettings
  extends CoreSettings, NoticeSettings, PlanSettings, SharedDenialSettings {}

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
  features: Features,
  faults: Faults,
  by?: readonly string[],
): LimiterSettings {
  const { onFailure = DEFAULTS.onFailure, retryJitter = 0, store } = options;
  const { headers = DEFAULTS.headers, sharedDenials } = options;
  const before = faults.list.length;
  const isSound = () => faults.list.length === before;
  /** Without policies after a fault: what stands beside them is checked anyway. */
  const ifSound = (planned: Planned): Planned =>
    isSound() ? planned : { ...planned, policies: [] };
  const policies = features.calendar?.adopt(options.policies, store) ?? options.policies;
  const compiled = compilePolicies(policies, "policies", faults, policyCheck(features));
  const placed = by ? compiled.map((policy, i) => ({ ...policy, by: by[i] })) : compiled;
  features.shards?.check(options, faults);
  if (isSound()) features.dimensions?.check?.(placed, faults);
  const planned = (isSound() &&
    features.plans?.compile(options.plans, "plans", policies, placed, faults)) || {
    policies: placed,
    plans: DEFAULTS.plans,
  };
  const leased = features.leases?.compile(options, ifSound(planned), faults);
  const optimism = features.optimistic?.compile(options, ifSound(planned).policies, faults);
  const noticed = features.notices?.compile(options, ifSound(planned).policies, faults);
  checkVerdict(onFailure, "onFailure", faults);
  checkRetryJitter(retryJitter, "retryJitter", faults);
  checkHeaders(headers, faults);
  features.sharedDenials?.check(options, faults);
  const enforce = oncePerPolicy((policy) => ({
    ...(leased?.(policy) ?? policy),
    ...optimism?.(policy),
    ...noticed?.(policy),
    retryJitter: policy.retryJitter ?? retryJitter,
  }));
  const settled = changeEach(planned, enforce);
  const nearby = features.regions?.compile(options, ifSound(settled), faults);
  return {
    ...(nearby ? changeEach(settled, nearby) : settled),
    prefix: checkPrefix(options.prefix ?? DEFAULTS.prefix, faults),
    onFailure,
    maxDenials: checkDenialCache(options.denialCache, faults),
    ...(sharedDenials && { sharedDenials }),
    headers,
    random: DEFAULTS.random,
    now: typeof store?.now === "function" ? steadyClock(() => store.now!() / 1000) : DEFAULTS.now,
  };
}

/** Changes the policies, also those of plans. */
function changeEach(
  { policies, plans }: Planned,
  change: (policy: CompiledPolicy) => CompiledPolicy,
): Planned {
  const changed = [...plans].map(([plan, list]) => [plan, list.map(change)] as const);
  return { policies: policies.map(change), plans: new Map(changed) };
}

/** Checks the options of a policy that make sense beside others. */
function policyCheck({ dimensions, roles, holds }: Features): CheckMore {
  return (policy, path, faults) => {
    policy[IMPLEMENTATION]?.refuse?.(policy, path, faults);
    dimensions?.checkPolicy?.(policy, path, faults);
    roles?.checkPolicy(policy, path, faults);
    holds?.checkPolicy(policy, path, faults);
  };
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
