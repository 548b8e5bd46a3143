import type { Fault } from "../errors/errors.ts";
import { exceedsBytes, MAX_DOCUMENT_BYTES } from "../live/document-size.ts";
import { Faults } from "../options/faults.ts";
import { placeOfFault } from "../options/json-fault.ts";
import { isRecord } from "../options/record.ts";
import { checkOptions } from "../options/unknown-options.ts";
import { rewritten } from "./check.ts";
import {
  compileRuleset,
  roomForPlans,
  type Ruleset,
  type RulesetData,
  type RulesetDefaults,
} from "./ruleset.ts";

/** Where the schema of live documents is, for editors. Another number at its end stands for another form. */
const LIVE_SCHEMA = "https://tidegate.dev/live-1.schema.json";

const FIELDS = ["$schema", "version", "rules", "plans", "overrides", "lists"];
/** Compiling more takes longer than a request may wait for. */
const MAX_RULES = 1_000;
const MAX_LIST = 10_000;
/** A rule has policies, these a partition, and this inner lists. */
const MAX_DEPTH = 4;

const DOCUMENT_REMEDY = 'Give a document: { "rules": [...], "plans", "overrides", "lists" }.';
const RULES_REMEDY = `Give a list of 1 to ${MAX_RULES} rules.`;
const VERSION_REMEDY =
  "Give the number of the version that this is based on, from 0, or leave it out.";
const NEWER_REMEDY = `Publish it with a newer Tidegate: this one knows documents of "${LIVE_SCHEMA}".`;

/** Checks a live document and compiles it; `undefined` after a fault. Faults have the paths of the document. */
export function compileDocument(
  document: unknown,
  defaults: RulesetDefaults,
  faults: Faults,
): Ruleset | undefined {
  const data = readDocument(document, faults);
  if (!data) return undefined;
  const before = faults.list.length;
  const ruleset = rewritten(faults, () => compileRuleset(data, defaults, faults), inDocument);
  return faults.list.length === before ? ruleset : undefined;
}

/** Reads a document's own fields; `undefined` if there are no rules in it to check. */
export function readDocument(document: unknown, faults: Faults): RulesetData | undefined {
  if (!isRecord(document)) {
    faults.add("document", document, DOCUMENT_REMEDY);
    return undefined;
  }
  checkOptions(document, FIELDS, "", faults);
  const { $schema, version, rules, plans, overrides, lists } = document;
  if ($schema !== undefined && (typeof $schema !== "string" || isNewer($schema))) {
    faults.add("$schema", $schema, NEWER_REMEDY);
  }
  if (version !== undefined && !(Number.isSafeInteger(version) && Number(version) >= 0)) {
    faults.add("version", version, VERSION_REMEDY);
  }
  let isTooLong = false;
  for (const name of ["allow", "deny"] as const) {
    const { [name]: list } = Object(lists) as Record<string, unknown>;
    if (Array.isArray(list) && list.length > MAX_LIST) {
      faults.add(`lists.${name}`, list.length, `Give at most ${MAX_LIST} entries.`);
      isTooLong = true;
    }
  }
  if (Array.isArray(overrides) && overrides.length > MAX_LIST) {
    faults.add("overrides", overrides.length, `Give at most ${MAX_LIST} overrides.`);
    isTooLong = true;
  }
  if (!Array.isArray(rules) || rules.length === 0 || rules.length > MAX_RULES) {
    faults.add("rules", Array.isArray(rules) ? rules.length : rules, RULES_REMEDY);
    return undefined;
  }
  rules.forEach((rule: unknown, i) => {
    if (!hasLongList(rule, MAX_DEPTH)) return;
    faults.add(`rules[${i}]`, "(a list)", `Give lists of at most ${MAX_RULES} in a rule.`);
    isTooLong = true;
  });
  if (isTooLong) return undefined;
  const data = { rules, plans, overrides, lists };
  const room = roomForPlans(data);
  if (room >= 0) return data;
  const count = Object.keys(Object(plans)).length;
  faults.add("plans", count, `Give at most ${count + room} plans for so many policies.`);
  return undefined;
}

/** A list of hundreds of thousands, each with a fault, takes too much memory to be checked. */
function hasLongList(value: unknown, depth: number): boolean {
  if (Array.isArray(value) && value.length > MAX_RULES) return true;
  return depth > 0 && Object.values(Object(value)).some((each) => hasLongList(each, depth - 1));
}

/** Parses the text of a document in Redis; `undefined` after a fault. */
export function parseDocument(text: string, faults: Faults): unknown {
  if (exceedsBytes(text, MAX_DOCUMENT_BYTES)) {
    faults.add("document", "(too long)", `Publish at most ${MAX_DOCUMENT_BYTES} bytes of JSON.`);
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const remedy = `Publish the rules again: it is no JSON ${placeOfFault(error as SyntaxError)}`;
    faults.add("document", "(no JSON)", `${remedy.trim()}.`);
    return undefined;
  }
}

/** Whether a schema is one of a later form; any other text is somebody's own copy. */
function isNewer(schema: string): boolean {
  const form = /\/live-(\d+)\.schema\.json$/.exec(schema)?.[1];
  return form !== undefined && form !== "1";
}

const VARIABLES = /\b(RULES|PLANS|LISTS|OVERRIDES)\b/g;

/** A fault with the names of the document's fields instead of the variables' names. */
export function inDocument({ path, value, remedy }: Fault): Fault {
  return { path: rename(path), value, remedy: rename(remedy) };
}

function rename(text: string): string {
  return text.replace(VARIABLES, (name) => name.toLowerCase());
}
