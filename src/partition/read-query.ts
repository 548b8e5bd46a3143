import { foldCase } from "./decode.ts";
import { foldValue, oneValue } from "./one-value.ts";
import { queriesOf } from "./queries.ts";
import { pairsNamed } from "./spelled-names.ts";

/**
 * Compiles the function that reads a query parameter from an address, in small letters, because some origins ignore the
 * case of a value. Several different values count as none (one-value.ts).
 *
 * @example
 * readQuery("user")("https://example.com/?user=Ann") // "ann"
 */
export function readQuery(parameter: string): (url: string) => string | undefined {
  const findPairs = pairsNamed([parameter], "&;");

  return (url) => {
    const { query, others } = queriesOf(url);
    if (query === "" || others.some((text) => findPairs(text).length > 0)) return undefined;
    const values: string[] = [];
    for (const { before, value, after } of findPairs(query)) {
      // To some origins a semicolon is a separator, to others it is part of this value.
      if (before !== ";" && after === ";") return undefined;
      values.push(value);
    }
    return oneValue(values, (value) => foldCase(foldValue(value)));
  };
}
