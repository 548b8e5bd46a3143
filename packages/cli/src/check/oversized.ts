import {
  INSTEAD,
  MAX_VARIABLE_BYTES,
  NEAR_BYTES,
  type Variable,
} from "../doctor/checks/variables.ts";
import { checkedVariables, parseFile } from "./check-text.ts";

/** The sizes of the variables of a wrangler file that grow with the rules; none of a file that cannot be read. */
export function variablesIn(file: string, text: string): readonly Variable[] {
  const { value, faults } = parseFile(file, text);
  if (faults.length > 0) return [];
  return checkedVariables(file, value).flatMap(({ path, vars }) =>
    ["RULES", "PLANS", "LISTS"].map((name) => ({
      name: `${path}.${name}`,
      bytes: new TextEncoder().encode(JSON.stringify(vars[name] ?? null)).length,
    })),
  );
}

/** A line for each variable that Cloudflare refuses for its size, or soon will, with a way out. */
export function oversizedVariables(file: string, text: string): readonly string[] {
  return variablesIn(file, text)
    .filter(({ bytes }) => bytes > NEAR_BYTES)
    .map(
      ({ name, bytes }) =>
        `warning: ${file}: ${name} has ${bytes} bytes, and a variable of a Worker takes ${MAX_VARIABLE_BYTES}: ${INSTEAD}.`,
    );
}
