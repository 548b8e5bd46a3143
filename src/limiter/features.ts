import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import { CALENDAR_UNITS } from "../algorithms/calendar-units.ts";
import type { CalendarOptions } from "../algorithms/calendar/options.ts";
import type { Faults } from "../options/faults.ts";
import { WITHOUT_FEATURE } from "../options/messages.ts";
import type { Policy } from "../policy/policy.ts";
import type { EVERY_FEATURE } from "./every-feature.ts";
import type { CreateLimiterOptions } from "./options.ts";

/** The features of a limiter, by their names. A bundle contains those that are given. */
export type Features = Partial<typeof EVERY_FEATURE>;

/** The options that need a feature. They stand here, because a feature that is not imported cannot name its own. */
const OPTIONS = {
  lease: "leases",
  lists: "lists",
  onDecision: "listeners",
  onNotice: "notices",
  plans: "plans",
  replica: "replica",
  replicaTimeout: "replica",
  sharedDenials: "sharedDenials",
} as const satisfies Partial<Record<keyof CreateLimiterOptions, keyof Features>>;

type OptionName = keyof Policy | keyof CalendarOptions;

/** The options of policies that need a feature, and the value with which each does not. */
const POLICY_OPTIONS = {
  anchor: ["calendar", undefined],
  by: ["dimensions", undefined],
  counts: ["roles", "requests"],
  lease: ["leases", undefined],
  optimistic: ["optimistic", undefined],
  mode: ["roles", "enforce"],
  notify: ["notices", undefined],
  refundable: ["holds", false],
  shards: ["shards", undefined],
  timeZone: ["calendar", undefined],
  when: ["holds", undefined],
} as const satisfies Partial<Record<OptionName, readonly [keyof Features, unknown]>>;

/** Adds a fault for each option whose feature is missing. */
export function checkFeatures(
  options: Partial<CreateLimiterOptions>,
  features: Features,
  faults: Faults,
): void {
  // Options that are no object are reported elsewhere.
  const { policies, ...others } = Object(options) as Partial<CreateLimiterOptions>;
  function need(feature: keyof Features, path: string, value: unknown): void {
    // Lists contain identities, and a replica or the cache of shared denials may contain credentials.
    const shown = typeof value === "object" && value !== null ? "(an object)" : value;
    if (!features[feature]) faults.add(path, shown, WITHOUT_FEATURE, feature);
  }
  for (const [option, feature] of Object.entries(OPTIONS)) {
    const setting = others[option as keyof typeof OPTIONS];
    if (setting !== undefined) need(feature, option, setting);
  }
  if (!Array.isArray(policies)) return;
  policies.forEach((declared: unknown, i) => {
    const policy = Object(declared) as Policy;
    for (const [option, [feature, plain]] of Object.entries(POLICY_OPTIONS)) {
      const value = (policy as unknown as Readonly<Record<string, unknown>>)[option];
      if (value !== undefined && value !== plain) need(feature, `policies[${i}].${option}`, value);
    }
    const window = policy.algorithm === "fixed-window" && policy.window;
    if (CALENDAR_UNITS.some((unit) => unit === window)) {
      need("calendar", `policies[${i}].window`, window);
    }
    // Settlement gives back units of requests that did not fail, and slots.
    if (policy.counts === "failures") need("holds", `policies[${i}].counts`, policy.counts);
    if (policy[IMPLEMENTATION]?.hasSlots) {
      need("holds", `policies[${i}].algorithm`, policy.algorithm);
    }
  });
}
