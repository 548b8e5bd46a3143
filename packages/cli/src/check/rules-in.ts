import { IMPLEMENTATIONS } from "../../../../src/algorithms/all.ts";
import { isRecord } from "../../../../src/options/record.ts";
import type { CountedRule } from "../doctor/gather/commands.ts";
import { checkedVariables, parseFile } from "./check-text.ts";

/** The rules of a wrangler file, by the algorithms of their policies; those that cannot be read are left out. */
export function rulesIn(file: string, text: string): readonly CountedRule[] {
  const { value, faults } = parseFile(file, text);
  if (faults.length > 0) return [];
  return checkedVariables(file, value).flatMap(({ path, vars }) =>
    listOf(vars["RULES"]).flatMap((rule, i) => {
      const algorithms = listOf(rule["policies"]).map(({ algorithm }) => algorithm);
      if (algorithms.length === 0 || !algorithms.every(isCounting)) return [];
      return { name: `${path}.RULES[${i}]`, algorithms };
    }),
  );
}

/** The records of a list, which may also be JSON as text. */
function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  const list: unknown = typeof value === "string" ? parse(value) : value;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCounting(algorithm: unknown): algorithm is keyof typeof IMPLEMENTATIONS {
  return Object.hasOwn(IMPLEMENTATIONS, String(algorithm));
}
