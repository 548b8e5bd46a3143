import { didYouMean, namesIn } from "../../options/messages.ts";
import { isRecord } from "../../options/record.ts";
import { nearest } from "../../options/unknown-options.ts";
import { EVERYBODY } from "../../partition/key-text.ts";
import type { PutOverride } from "../entry-answers.ts";

/**
 * Says under which rules of a document an override holds. The document, the identity and the policies have been checked.
 *
 * @param policies those that get other numbers; none for a plan, and for the numbers of the rules
 * @param names those of the policies of each rule
 */
export function scopeOf(
  identity: string,
  policies: readonly string[],
  document: unknown,
  names: readonly (readonly string[])[],
): Pick<PutOverride, "appliesTo" | "warning"> {
  const header = identity.split(":", 1)[0]!.trim().toLowerCase();
  const rules = rulesOf(document).map((rule, index) => ({
    index,
    method: [rule["method"] ?? "*"].flat().join(", "),
    path: String(rule["path"]),
    headers: headersOf(rule),
    names: names[index] ?? [],
  }));
  const counting = rules.filter(({ headers }) => headers.includes(header));
  if (counting.length > 0) {
    const appliesTo = counting
      .filter(
        ({ names: own }) => policies.length === 0 || policies.some((name) => own.includes(name)),
      )
      .map(({ index, method, path }) => ({ index, method, path }));
    const reached = counting.flatMap(({ names: own }) => own);
    const others = policies.filter((name) => !reached.includes(name));
    if (others.length === 0) return { appliesTo };
    const warning = `The rules of ${namesIn(others)} do not count by the header ${header}: the override changes them only for requests that another rule, which counts by it, covers as well.`;
    return { appliesTo, warning };
  }
  const known = [...new Set(rules.flatMap(({ headers }) => headers))];
  const counted =
    known.length > 0 ? `Rules count by ${namesIn(known)}.` : "No rule counts by a header.";
  const hint = didYouMean(nearest(header, known));
  return {
    appliesTo: [],
    warning: `No rule counts by the header ${header}, so that this override changes nothing. ${hint}${counted}`,
  };
}

function rulesOf(document: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { rules } = Object(document) as { readonly rules?: unknown };
  return Array.isArray(rules) ? rules.map((rule) => (isRecord(rule) ? rule : {})) : [];
}

/** The headers that the policies of a rule count by, in lower case. */
function headersOf({ partition, policies }: Readonly<Record<string, unknown>>): readonly string[] {
  const each = Array.isArray(policies) ? (policies as readonly unknown[]) : [];
  return each
    .map((policy) => (Object(policy) as { readonly partition?: unknown }).partition ?? partition)
    .filter((sources) => sources !== EVERYBODY)
    .flatMap((sources) => (Array.isArray(sources) ? sources.flat() : []))
    .flatMap((source) => /^header:(.+)$/.exec(String(source))?.[1]?.toLowerCase() ?? []);
}
