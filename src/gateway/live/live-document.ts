import type { Faults } from "../../options/faults.ts";
import { positionOfFault } from "../../options/json-fault.ts";
import { POLICY_LIST } from "../../options/messages.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import { isRecord } from "../../options/record.ts";
import { checkOptions } from "../../options/unknown-options.ts";
import { MAX_POLICIES } from "../../policy/compile.ts";
import { exceedsBytes, MAX_DOCUMENT_BYTES } from "../../store/control/storage.ts";
import {
  BYTES,
  ENTRIES,
  LISTS_IN_RULE,
  MANY_PLANS,
  NEWER,
  NO_JSON,
  OVERRIDES,
  RULES,
  VERSION,
  WHOLE,
} from "../rules/document-messages.ts";
import {
  compileRuleset,
  roomForPlans,
  type Ruleset,
  type RulesetData,
  type RulesetDefaults,
} from "../rules/ruleset.ts";

/** The file of the schema of live documents, wherever it is served. Another number in it stands for another form. */
const LIVE_SCHEMA = "live-1.schema.json";

const FIELDS = ["$schema", "version", "rules", "plans", "overrides", "lists"];
/** Compiling more takes longer than a request may wait for. */
const MAX_RULES = 1_000;
const MAX_LIST = 10_000;
/** A rule has policies, these a partition, and this inner lists. */
const MAX_DEPTH = 4;

/**
 * Checks a live document and compiles it; `undefined` after a fault. Faults have the paths of the document.
 *
 * @param before rules, plans and numbers that are the same as in this ruleset are not compiled again
 */
export function compileDocument(
  document: unknown,
  defaults: RulesetDefaults,
  faults: Faults,
  before?: Ruleset,
): Ruleset | undefined {
  const start = faults.list.length;
  const data = readDocument(document, faults);
  if (!data) return undefined;
  const ruleset = compileRuleset(data, defaults, inDocument(faults), before);
  return faults.list.length === start ? ruleset : undefined;
}

/** Reads a document's own fields; `undefined` if there are no rules in it to check. */
function readDocument(document: unknown, faults: Faults): RulesetData | undefined {
  if (!isRecord(document)) {
    faults.add("document", document, WHOLE);
    return undefined;
  }
  checkOptions(document, FIELDS, "", faults);
  const { $schema, version, rules, plans, overrides, lists } = document;
  if ($schema !== undefined && (typeof $schema !== "string" || isNewer($schema))) {
    faults.add("$schema", $schema, NEWER, LIVE_SCHEMA);
  }
  if (version !== undefined && !(Number.isSafeInteger(version) && Number(version) >= 0)) {
    faults.add("version", version, VERSION);
  }
  let isTooLong = false;
  for (const name of ["allow", "deny"] as const) {
    const { [name]: list } = Object(lists) as Record<string, unknown>;
    if (Array.isArray(list) && list.length > MAX_LIST) {
      faults.add(`lists.${name}`, list.length, ENTRIES, MAX_LIST);
      isTooLong = true;
    }
  }
  if (Array.isArray(overrides) && overrides.length > MAX_LIST) {
    faults.add("overrides", overrides.length, OVERRIDES, MAX_LIST);
    isTooLong = true;
  }
  if (!Array.isArray(rules) || rules.length === 0 || rules.length > MAX_RULES) {
    faults.add("rules", Array.isArray(rules) ? rules.length : rules, RULES, MAX_RULES);
    return undefined;
  }
  rules.forEach((rule: unknown, i) => {
    const { policies } = Object(rule) as { readonly policies?: unknown };
    if (Array.isArray(policies) && policies.length > MAX_POLICIES) {
      faults.add(`rules[${i}].policies`, policies.length, POLICY_LIST, MAX_POLICIES);
    } else if (hasLongList(rule, MAX_DEPTH)) {
      faults.add(`rules[${i}]`, "(a list)", LISTS_IN_RULE, MAX_RULES);
    } else {
      return;
    }
    isTooLong = true;
  });
  if (isTooLong) return undefined;
  const data = { rules, plans, overrides, lists };
  const room = roomForPlans(data);
  if (room >= 0) return data;
  const count = Object.keys(Object(plans)).length;
  faults.add("plans", count, MANY_PLANS, count + room);
  return undefined;
}

/** A list of hundreds of thousands, each with a fault, takes too much memory to be checked. */
function hasLongList(value: unknown, depth: number): boolean {
  // The values of a text would be its characters.
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value) && value.length > MAX_RULES) return true;
  return depth > 0 && Object.values(value).some((each) => hasLongList(each, depth - 1));
}

/** Parses the text of a document in Redis; `undefined` after a fault. */
export function parseDocument(text: string, faults: Faults): unknown {
  if (exceedsBytes(text, MAX_DOCUMENT_BYTES)) {
    faults.add("document", "(too long)", BYTES, MAX_DOCUMENT_BYTES);
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    faults.add("document", "(no JSON)", NO_JSON, positionOfFault(error as SyntaxError));
    return undefined;
  }
}

/** Whether a schema has a later form; any other text is a private copy. */
function isNewer(schema: string): boolean {
  const form = /\/live-(\d+)\.schema\.json$/.exec(schema)?.[1];
  return form !== undefined && form !== "1";
}

/** Collects the faults of a ruleset, whose paths begin with variables, with the paths of a document. */
function inDocument(faults: Faults): Faults {
  return new PlacedFaults(faults, {
    pathsOf: (path) => [
      path.replace(/^(?:RULES|PLANS|LISTS|OVERRIDES)\b/, (name) => name.toLowerCase()),
    ],
  });
}
