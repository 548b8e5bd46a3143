import { globSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { withOptionTables } from "../../scripts/build-docs/option-tables.ts";

const document = readFileSync("docs/options.md", "utf8");
const sources = new Map(
  globSync("src/**/*.ts").map((path) => [path, readFileSync(path, "utf8")] as const),
);

const marked = (name: string) => `<!-- options: ${name} -->\n<!-- end -->\n`;

describe("the tables of docs/options.md", () => {
  test("are those of the docstrings", () => {
    expect(withOptionTables(document, sources)).toBe(document);
  });

  test("have a row for each option, its type without line breaks, and no empty column", () => {
    const source = `
export interface ExampleOptions<C extends { a: 1 }> extends Other<C> {
  /** How many; not one; more. Range: 2 to 5. */
  readonly count: number;
  /**
   * Called with "{" as text.
   *
   * Twice. Default: none.
   *
   * @example
   * count: 2;
   */
  readonly "on-call"?:
    | false
    | ((context: C, options: { readonly deep: true; other?: 1 }) => void);
}
`;
    const built = withOptionTables(marked("ExampleOptions"), new Map([["a.ts", source]]));
    expect(built.split("\n").map((line) => line.replace(/ +/g, " "))).toEqual([
      "<!-- options: ExampleOptions -->",
      "",
      "| option | type | default | range | meaning |",
      expect.stringMatching(/^\| -+ \| -+ \| -+ \| -+ \| -+ \|$/),
      "| `count` | `number` | required | 2 to 5 | How many; not one; more. |",
      '| `on-call` | `false \\| ((context: C, options: { deep: true; other?: 1 }) => void)` | none | | Called with "{" as text. Twice. |',
      "",
      "<!-- end -->",
      "",
    ]);
    expect(
      withOptionTables(marked("Flag"), new Map([["a.ts", flag("/** Turns it on. */")]])),
    ).toContain("| option | type      | default  | meaning      |");
  });

  test.for([
    ["/** Turns it on. */", "optional", /on may be left out/],
    ["/** Turns it on. Default: `true`. */", "required", /on must be given/],
    ["/** Default: `true`. Turns it on. */", "optional", /on: write its meaning/],
    ["", "optional", /on: write its meaning/],
  ] as const)("refuse the docstring %j of an option that is %s", ([doc, kind, message]) => {
    const source = flag(doc, kind === "optional" ? "?" : "");
    expect(() => withOptionTables(marked("Flag"), new Map([["a.ts", source]]))).toThrow(message);
  });

  test("name every function that makes a value", () => {
    const listed = [...document.matchAll(/^<!-- functions: (.+) -->$/gm)].flatMap(([, names]) =>
      names!.split(" "),
    );
    const made = [...sources.values()].flatMap((text) =>
      [
        ...text.matchAll(
          /^export function (\w+)[^;]*?\): (?:OptionValue<|Denials|Failures|Refundable|SharedDenials|Of \{)/gm,
        ),
      ].map(([, name]) => name!),
    );
    const internal = ["optionValue"];
    expect([...new Set(listed)].toSorted()).toEqual(
      made.filter((name) => !internal.includes(name)).toSorted(),
    );
  });
});

function flag(doc: string, optional = ""): string {
  return `interface Flag {\n  ${doc}\n  readonly on${optional}: boolean;\n}\n`;
}
