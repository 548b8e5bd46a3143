import type { Features } from "../features/features.ts";
import { takeApart, type TakenApart } from "../limiter/take-apart.ts";
import type { Faults } from "../options/faults.ts";
import { refuseNames } from "../options/names-elsewhere.ts";
import { meaningOf } from "../options/option-value.ts";
import { OF_MIDDLEWARE } from "./names-elsewhere.ts";

/** The options of a middleware as data, also its sources, and the features that values brought. */
export function takeRequestApart<Options extends { readonly policies?: unknown }>(
  given: object,
  faults: Faults,
): TakenApart<Options> {
  const { options: all, features } = takeApart<Options>(given, faults);
  const options = refuseNames(all as Options & object, OF_MIDDLEWARE, "", faults);
  const kinds = {};
  const { policies } = Object(options) as Options;
  const taken = {
    ...withTexts(options, kinds),
    ...(Array.isArray(policies) && {
      policies: Array.from(policies as readonly object[], (policy) => withTexts(policy, kinds)),
    }),
  };
  return { options: taken as Options, features: { ...features, sources: kinds } };
}

function withTexts<Of extends object>(options: Of, kinds: object): Of {
  const { partition } = Object(options) as { partition?: unknown };
  return Array.isArray(partition) ? { ...options, partition: textsOf(partition, kinds) } : options;
}

/** Sources as texts, as rules have them. A list within an inner list is a fault elsewhere, and may be the list itself. */
function textsOf(sources: readonly unknown[], kinds: object): readonly unknown[] {
  return Array.from(sources, (source) =>
    Array.isArray(source)
      ? Array.from(source, (part) => textOf(part, kinds))
      : textOf(source, kinds),
  );
}

function textOf(source: unknown, kinds: object): unknown {
  const meaning = meaningOf(source);
  Object.assign(kinds, (meaning?.features as Features | undefined)?.sources);
  return meaning?.option === "partition" ? meaning.plain["partition"] : source;
}
