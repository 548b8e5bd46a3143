import { checkedVariables, parseFile } from "./check-text.ts";

/** What Cloudflare takes of one variable. */
const MAX_BYTES = 5 * 1024;

/** A line for each variable of a wrangler file that Cloudflare refuses for its size, with a way out. */
export function oversizedVariables(file: string, text: string): readonly string[] {
  const { value, faults } = parseFile(file, text);
  if (faults.length > 0) return [];
  return checkedVariables(file, value).flatMap(({ path, vars }) =>
    ["RULES", "PLANS", "LISTS"].flatMap((name) => {
      const bytes = new TextEncoder().encode(JSON.stringify(vars[name] ?? null)).length;
      if (bytes <= MAX_BYTES) return [];
      return [
        `warning: ${file}: ${path}.${name} has ${bytes} bytes, and a variable of a Worker takes ${MAX_BYTES}: publish live rules (npx tidegate rules push), or give createGateway() the rules from a module of your own worker.`,
      ];
    }),
  );
}
