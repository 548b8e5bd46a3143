import type { FailureVerdict } from "../algorithms/algorithm.ts";
import type { HeaderOptions } from "../decision/fields.ts";
import type { SharedDenials } from "../denials/shared-denials.ts";
import { readLease } from "../lease/read-lease.ts";
import { tightenPolicy } from "../lease/tighten.ts";
import type { Duration } from "../options/duration.ts";
import type { Faults } from "../options/faults.ts";
import { checkOptions } from "../options/unknown-options.ts";
import { type CompiledPolicy, compilePolicies } from "../policy/compile.ts";
import type { Policy } from "../policy/policy.ts";
import { monotonicNow, steadyClock } from "../runtime/clock.ts";
import type { StoreOptions } from "../store/open-store.ts";

export interface LimiterOptions extends StoreOptions {
  /** Decided together: either all take the cost, or none does. 1 to 16. */
  readonly policies: readonly Policy[];
  /** Begins every key: letters, digits, `.`, `_`, `-`, `:`, at most 64. Default `"tg"`. */
  readonly prefix?: string;
  /** What decides when Redis does not; a policy may say otherwise. Default `"local"`. */
  readonly onFailure?: FailureVerdict;
  /**
   * What the isolate remembers of denials, so that it denies again without asking Redis; `false` to always ask.
   * Default 10,000 entries.
   */
  readonly denialCache?: false | { readonly maxEntries: number };
  /**
   * For how long an isolate may hold units of a busy identity that it took ahead, so that it need not ask Redis for
   * each: 10 ms to 10 s, and several round trips. What is promised stays promised, by policies that are a little
   * tighter. Default: never, every decision is Redis's.
   */
  readonly lease?: Duration;
  /**
   * Denials shared by isolates near each other, which then ask Redis about an abuser hardly more often than one:
   * `coloDenials()` of `tidegate/cloudflare`, or `shareDenials()` of a place of your own. Only with a Redis. Default:
   * none.
   */
  readonly sharedDenials?: SharedDenials;
  /** Which header fields tell the client. Default: all. */
  readonly headers?: HeaderOptions;
}

/** A limiter's settings, checked. */
export interface LimiterSettings {
  readonly policies: readonly CompiledPolicy[];
  readonly prefix: string;
  readonly onFailure: FailureVerdict;
  /** Entries of the denial cache; 0 for none. */
  readonly maxDenials: number;
  /** Microseconds; the policies are tightened by it already. */
  readonly lease?: number | undefined;
  readonly sharedDenials?: SharedDenials;
  readonly headers: HeaderOptions;
  /** The isolate's monotonic clock, or the store's own where it has one, in milliseconds. */
  readonly now: () => number;
}

/** What holds where the options say nothing. */
export const DEFAULTS = {
  prefix: "tg",
  onFailure: "local",
  maxDenials: 10_000,
  headers: {},
  now: monotonicNow,
} as const satisfies Omit<LimiterSettings, "policies">;

/** Every option of a limiter. */
export const LIMITER_OPTIONS = [
  "policies",
  "prefix",
  "onFailure",
  "denialCache",
  "lease",
  "sharedDenials",
  "headers",
  "redis",
  "store",
  "timeout",
  "onStoreError",
] as const satisfies (keyof LimiterOptions)[];

/** The options themselves, none unknown; where there are none, a fault, and nothing to go on with. */
export function givenOptions<Options extends object>(
  options: Options,
  known: readonly string[],
  faults: Faults,
): Options {
  if (typeof options === "object" && options !== null) {
    checkOptions(options, known, "", faults);
    return options;
  }
  faults.add("options", options, "Give an object of options, at least { policies }.");
  return {} as Options;
}

/** Checks everything about a limiter but its store. */
export function checkSettings(options: LimiterOptions, faults: Faults): LimiterSettings {
  const {
    prefix = DEFAULTS.prefix,
    onFailure = DEFAULTS.onFailure,
    headers = DEFAULTS.headers,
  } = options;
  const { denialCache, sharedDenials, store } = options;
  const before = faults.size;
  const policies = compilePolicies(options.policies, "policies", faults);
  const sound = faults.size === before;
  const lease =
    options.lease === undefined
      ? undefined
      : readLease(options.lease, sound ? policies : [], faults);
  if (typeof prefix !== "string" || !/^[A-Za-z0-9._:-]{1,64}$/.test(prefix)) {
    faults.add(
      "prefix",
      prefix,
      "Use 1 to 64 ASCII letters, digits, dots, underscores, dashes or colons.",
    );
  }
  if (!["open", "closed", "local"].includes(onFailure)) {
    faults.add("onFailure", onFailure, 'Use "open", "closed" or "local".');
  }
  if (typeof denialCache === "object" && denialCache !== null) {
    checkOptions(denialCache, ["maxEntries"], "denialCache.", faults);
  }
  const maxDenials = denialCache === false ? 0 : (denialCache?.maxEntries ?? DEFAULTS.maxDenials);
  if (
    (denialCache !== undefined && typeof denialCache !== "object" && denialCache !== false) ||
    !(Number.isInteger(maxDenials) && maxDenials >= 0 && maxDenials <= 1_000_000) ||
    (maxDenials === 0 && denialCache !== false)
  ) {
    faults.add(
      "denialCache",
      denialCache,
      "Give { maxEntries } with a whole number from 1 to 1000000, or false for no cache.",
    );
  }
  if (
    sharedDenials !== undefined &&
    (typeof sharedDenials?.share !== "function" || denialCache === false || store !== undefined)
  ) {
    faults.add(
      "sharedDenials",
      // What a place is reached with may be a secret.
      Object(sharedDenials) === sharedDenials ? "(an object)" : sharedDenials,
      "Give what coloDenials() or shareDenials() returns; it needs the denialCache, and a Redis that all count in.",
    );
  }
  if (sharedDenials !== undefined && options.lease !== undefined) {
    faults.add(
      "lease",
      options.lease,
      "Leave it or sharedDenials out: while an isolate waits for its next units, the others may have some.",
    );
  }
  if (typeof headers !== "object" || headers === null) {
    faults.add(
      "headers",
      headers,
      'Give { "draft-11": false } or { "x-ratelimit": false } to leave fields out.',
    );
  } else {
    for (const [field, value] of Object.entries(headers)) {
      if (!["draft-11", "x-ratelimit"].includes(field) || typeof value !== "boolean") {
        faults.add(
          `headers.${field}`,
          value,
          'Use "draft-11" and "x-ratelimit", each true or false.',
        );
      }
    }
  }
  return {
    policies:
      lease === undefined ? policies : policies.map((policy) => tightenPolicy(policy, lease)),
    prefix,
    onFailure,
    maxDenials,
    lease,
    ...(sharedDenials && { sharedDenials }),
    headers,
    now: typeof store?.now === "function" ? steadyClock(() => store.now!() / 1000) : DEFAULTS.now,
  };
}
