import { IMPLEMENTATION } from "../algorithms/algorithm.ts";
import type { Features } from "../features/features.ts";
import type { Faults } from "../options/faults.ts";
import { PLAIN_VALUE } from "../options/messages.ts";
import { meaningOf } from "../options/option-value.ts";
import type { Policy } from "../policy/policy.ts";

/**
 * The plain options that only values set, with the functions that make them. Without this, a plain one would act wherever another
 * policy brings its code.
 */
const MAKERS: Readonly<Record<string, string>> = {
  anchor: "month",
  counts: "denials",
  jwt: "jwt",
  lease: "lease",
  lists: "lists",
  mode: "shadow",
  notify: "notify",
  onNotice: "notify",
  optimistic: "optimistic",
  plans: "plans",
  refundable: "refundable",
  region: "region",
  shards: "shards",
  sharedDenials: "shareDenials",
  timeZone: "month",
  when: "failures",
};

/** The words that have a function of their own, by their options. */
const WORDS: readonly string[] = ["failures", "soft", "hour", "day", "week", "month"];

/** The function that makes what this plain value stands for; `undefined` if it may be plain. */
function makerOf(option: string, value: unknown): string | undefined {
  const hasWords = option === "counts" || option === "mode" || option === "window";
  return hasWords && WORDS.includes(value as string) ? (value as string) : MAKERS[option];
}

/** Options as data, and the features that their values brought. */
export interface TakenApart<Options> {
  readonly options: Options;
  readonly features: Features;
}

/** Takes the values of options and of policies apart; adds a fault for each plain value where only a made one brings the code. */
export function takeApart<Options extends { readonly policies?: unknown }>(
  given: object,
  faults: Faults,
): TakenApart<Options> {
  const features = {};
  const options = plainOptions(given, "", features, faults) as Options;
  if (!Array.isArray(options?.policies)) return { options, features };
  // Not map(), which skips the holes of a list.
  const policies = Array.from(options.policies as readonly Policy[], (policy, i) => {
    Object.assign(features, policy?.[IMPLEMENTATION]?.features);
    return plainOptions(policy, `policies[${i}].`, features, faults);
  });
  return { options: { ...options, policies }, features };
}

function plainOptions(given: object, path: string, features: Features, faults: Faults): object {
  if (typeof given !== "object" || given === null) return given;
  const plain = { ...given } as Record<string, unknown>;
  for (const [option, value] of Object.entries(given)) {
    const meaning = meaningOf(value);
    // The check of an option that is data refuses a value, too.
    const maker = value === undefined ? undefined : makerOf(option, value);
    if (meaning?.option === option) {
      Object.assign(features, meaning.features);
      Object.assign(plain, meaning.plain);
    } else if (maker) {
      // Lists contain identities.
      const isObject = typeof value === "object" && value !== null;
      faults.add(path + option, isObject ? "(an object)" : value, PLAIN_VALUE, { maker, value });
      // A policy without the option has no second fault. A limiter keeps it: other checks ask whether it is there.
      if (path) plain[option] = option === "window" ? "1d" : undefined;
    }
  }
  return plain;
}
