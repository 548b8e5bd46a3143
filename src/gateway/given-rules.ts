import type { Faults } from "../options/faults.ts";
import { placeOfFault } from "../options/json-fault.ts";
import { fromJson } from "./from-json.ts";

/** The variable PLANS as data. */
export function readPlans(plans: unknown, faults: Faults): unknown {
  const given = fromJson(plans);
  if (!(given instanceof SyntaxError)) return given;
  faults.add(
    "PLANS",
    plans,
    `Give a table of plans by name; where variables are text, as JSON. ${noJson(given)}`,
  );
  // Rules that name a plan are not at fault, too.
  return {};
}

/** The variable LISTS as data. */
export function readLists(given: unknown, faults: Faults): unknown {
  const lists = fromJson(given);
  if (!(lists instanceof SyntaxError)) return lists;
  faults.add(
    "LISTS",
    given,
    `Give a table of allow and deny; where variables are text, as JSON. ${noJson(lists)}`,
  );
  return undefined;
}

/** The variable RULES as data. */
export function readRules(rules: unknown, faults: Faults): readonly unknown[] {
  const list = fromJson(rules);
  if (Array.isArray(list) && list.length > 0) return list;
  const remedy =
    "Give a list of at least one rule: in wrangler.toml tables [[vars.RULES]], not [[RULES]]; where variables are text, as JSON.";
  faults.add("RULES", rules, list instanceof SyntaxError ? `${remedy} ${noJson(list)}` : remedy);
  return [];
}

function noJson(error: SyntaxError): string {
  return `${`It is no JSON ${placeOfFault(error)}`.trim()}.`;
}
