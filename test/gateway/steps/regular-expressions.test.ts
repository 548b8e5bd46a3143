import { globSync, readFileSync } from "node:fs";

import { RegExpParser } from "@eslint-community/regexpp";
import { parseSync } from "oxc-parser";
import { analyse } from "scslre";
import { describe, expect, test } from "vitest";

import { pairsNamed } from "../../../src/partition/spelled-names.ts";

/** What only a configuration goes through, which is its operator's own. */
const OF_CONFIGURATIONS = [
  "algorithms",
  "features/plans-feature.ts",
  "gateway/config",
  "options",
  "partition/source-text.ts",
];

const files = globSync("src/**/*.ts").filter((file) =>
  OF_CONFIGURATIONS.every((name) => !file.startsWith(`src/${name}`)),
);

/** The regular expressions in a file. */
function expressionsIn(file: string): readonly string[] {
  const found: string[] = [];
  JSON.stringify(parseSync(file, readFileSync(file, "utf8")).program, (_, value: unknown) => {
    const { regex } = Object(value) as { regex?: { pattern: string; flags: string } };
    if (regex) found.push(`/${regex.pattern}/${regex.flags}`);
    return typeof value === "bigint" ? String(value) : value;
  });
  return found;
}

/** In what a regular expression can take longer than a text is long; nothing if it cannot. */
function slownessOf(expression: string): readonly string[] {
  const parsed = new RegExpParser().parseLiteral(expression);
  return analyse(parsed, { assumeRejectingSuffix: false }).reports.map(
    ({ type, exponential }) =>
      `${expression}: ${exponential ? "exponential" : "polynomial"} ${type}`,
  );
}

describe("a regular expression that reads requests", () => {
  test.each([/[?#]| +$/, /%.*$/, /^(?:a+)+$/, /^\s+|\s+$/])("is seen to be slow: %s", (slow) => {
    expect(slownessOf(String(slow))).not.toEqual([]);
  });

  test("takes time in the length of its text", () => {
    const expressions = files.flatMap(expressionsIn);
    expect(expressions.length).toBeGreaterThan(80);
    expect(expressions.flatMap(slownessOf)).toEqual([]);
  });

  test("that is built for names does, too", () => {
    const built: string[] = [];
    const { RegExp } = globalThis;
    globalThis.RegExp = new Proxy(RegExp, {
      construct(target, given) {
        const expression = new target(...(given as [string, string]));
        built.push(String(expression));
        return expression;
      },
    });
    for (const name of ["api_key", "_._", "ski"])
      for (const separators of ["&;", ";,"] as const) pairsNamed([name], separators);
    globalThis.RegExp = RegExp;
    expect(built).toHaveLength(6);
    expect(built.flatMap(slownessOf)).toEqual([]);
  });

  test("is built from a text in few places, which all are in these tests", () => {
    const building = files.filter((file) => /new RegExp\(/.test(readFileSync(file, "utf8")));
    expect(building).toEqual(["src/partition/key-text.ts", "src/partition/spelled-names.ts"]);
  });
});
