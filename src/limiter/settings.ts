import type { FailureVerdict } from "../algorithms/algorithm.ts";
import type { HeaderOptions } from "../decision/fields.ts";
import type { SharedDenials } from "../denials/shared-denials.ts";
import { readLease } from "../lease/read-lease.ts";
import { tightenPolicy } from "../lease/tighten.ts";
import type { Faults } from "../options/faults.ts";
import { checkOptions } from "../options/unknown-options.ts";
import { checkVerdict, type CompiledPolicy, compilePolicies } from "../policy/compile.ts";
import { monotonicNow, steadyClock } from "../runtime/clock.ts";
import type { LimiterOptions } from "./options.ts";

/** A limiter's settings, checked. */
export interface LimiterSettings {
  readonly policies: readonly CompiledPolicy[];
  readonly prefix: string;
  readonly onFailure: FailureVerdict;
  /** Entries of the denial cache; 0 for none. */
  readonly maxDenials: number;
  /** The policies are tightened by it already. */
  readonly leaseUs?: number | undefined;
  readonly sharedDenials?: SharedDenials;
  readonly headers: HeaderOptions;
  /** The isolate's monotonic clock, or the store's own where it has one, in milliseconds. */
  readonly now: () => number;
}

/** The start of every key: no brace in it can become the hash tag. */
export const PREFIX = /^[A-Za-z0-9._:-]{1,64}$/;
export const PREFIX_REMEDY =
  "Use 1 to 64 ASCII letters, digits, dots, underscores, dashes or colons.";

/** The defaults of all options. */
export const DEFAULTS = {
  prefix: "tg",
  onFailure: "local",
  maxDenials: 10_000,
  headers: {},
  now: monotonicNow,
} as const satisfies Omit<LimiterSettings, "policies">;

/** Checks every option of a limiter except those of its store; after a fault, the answer has values to go on with. */
export function checkSettings(options: LimiterOptions, faults: Faults): LimiterSettings {
  const { onFailure = DEFAULTS.onFailure, headers = DEFAULTS.headers, store } = options;
  const before = faults.list.length;
  const policies = compilePolicies(options.policies, "policies", faults);
  const leaseUs =
    options.lease === undefined
      ? undefined
      : readLease(options.lease, faults.list.length === before ? policies : [], faults);
  checkVerdict(onFailure, "onFailure", faults);
  checkHeaders(headers, faults);
  checkSharing(options, faults);
  return {
    policies:
      leaseUs === undefined ? policies : policies.map((policy) => tightenPolicy(policy, leaseUs)),
    prefix: checkPrefix(options.prefix ?? DEFAULTS.prefix, faults),
    onFailure,
    maxDenials: checkDenialCache(options.denialCache, faults),
    leaseUs,
    ...(options.sharedDenials && { sharedDenials: options.sharedDenials }),
    headers,
    now: typeof store?.now === "function" ? steadyClock(() => store.now!() / 1000) : DEFAULTS.now,
  };
}

function checkPrefix(prefix: string, faults: Faults): string {
  if (typeof prefix !== "string" || !PREFIX.test(prefix)) {
    faults.add("prefix", prefix, PREFIX_REMEDY);
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
    faults.add(
      "denialCache",
      denialCache,
      "Give { maxEntries } with a whole number from 1 to 1000000, or false for no cache.",
    );
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
      "Give what coloDenials() or shareDenials() returns; it needs the denialCache, and a Redis that all count in.",
    );
  }
  if (lease !== undefined) {
    faults.add(
      "lease",
      lease,
      "Leave out this or sharedDenials: while one isolate waits for its next lease, others may still hold units.",
    );
  }
}

function checkHeaders(headers: HeaderOptions, faults: Faults): void {
  if (typeof headers !== "object" || headers === null) {
    faults.add(
      "headers",
      headers,
      'Give { "draft-11": false } or { "x-ratelimit": false } to leave fields out.',
    );
    return;
  }
  for (const [field, value] of Object.entries(headers)) {
    if (["draft-11", "x-ratelimit"].includes(field) && typeof value === "boolean") continue;
    faults.add(`headers.${field}`, value, 'Use "draft-11" and "x-ratelimit", each true or false.');
  }
}
