import type { Faults } from "../../options/faults.ts";
import { positionOfFault } from "../../options/json-fault.ts";
import { fromJson } from "../rules/from-json.ts";
import { LISTS_TEXT, PLANS_TEXT, RULES, RULES_TEXT } from "../rules/variable-messages.ts";

/** The variable PLANS as data. */
export function readPlans(plans: unknown, faults: Faults): unknown {
  const parsed = fromJson(plans);
  if (!(parsed instanceof SyntaxError)) return parsed;
  faults.add("PLANS", plans, PLANS_TEXT, positionOfFault(parsed));
  // Rules that name a plan are not at fault, too.
  return {};
}

/** The variable LISTS as data. */
export function readLists(value: unknown, faults: Faults): unknown {
  const lists = fromJson(value);
  if (!(lists instanceof SyntaxError)) return lists;
  faults.add("LISTS", value, LISTS_TEXT, positionOfFault(lists));
  return undefined;
}

/** The variable RULES as data. */
export function readRules(rules: unknown, faults: Faults): readonly unknown[] {
  const list = fromJson(rules);
  if (Array.isArray(list) && list.length > 0) return list;
  if (list instanceof SyntaxError) faults.add("RULES", rules, RULES_TEXT, positionOfFault(list));
  else faults.add("RULES", rules, RULES);
  return [];
}
