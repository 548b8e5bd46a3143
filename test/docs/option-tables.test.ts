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

  test("follow a changed docstring", () => {
    const changed = [...sources].map(
      ([path, text]) => [path, text.replace('Default: `"250ms"`', 'Default: `"300ms"`')] as const,
    );
    const rebuilt = withOptionTables(document, new Map(changed));
    expect(rebuilt).not.toBe(document);
    expect(rebuilt.replace('`"300ms"`', '`"250ms"`')).toBe(document);
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

  test("are of one interface each", () => {
    const source = flag("/** Turns it on. */");
    const twice = new Map([
      ["a.ts", source],
      ["b.ts", source],
    ]);
    expect(() => withOptionTables(marked("Flag"), twice)).toThrow("Flag is declared in a.ts, b.ts");
    expect(withOptionTables(marked("Flag of b.ts"), twice)).toContain("Turns it on.");
    expect(() => withOptionTables(marked("Flags"), twice)).toThrow("Flags is declared in no file");
  });

  test("list the members of several interfaces in one table", () => {
    const source = `${flag("/** Turns it on. */")}interface More {\n  /** Adds one. */\n  readonly one: 1;\n}\n`;
    const built = withOptionTables(marked("Flag and More"), new Map([["a.ts", source]]));
    expect(built.match(/^\| `\w+`/gm)).toEqual(["| `on`", "| `one`"]);
  });

  test("list the members of an interface as another one takes them, without those that only a function makes", () => {
    const source = `
interface Plain {
  /** As it is. Default: none. */
  readonly kept?: 1;
  /** Data. Default: none. */
  readonly made?: 2;
  /** Data. Default: none. */
  readonly changed?: 3;
  /** Data. Default: none. */
  readonly gone?: 4;
}
interface Given extends Omit<Plain, "made" | "changed" | "gone"> {
  /** What \`made()\` returns. Default: none. */
  readonly made?: OptionValue<"made">;
  /** Changed. Default: none. */
  readonly changed?: 5 | OptionValue<"changed">;
}
`;
    const built = withOptionTables(marked("Given over Plain"), new Map([["a.ts", source]]));
    expect(built.match(/^\| `.*/gm)).toEqual([
      "| `kept`    | `1`              | none    | As it is. |",
      "| `changed` | `5 \\| changed()` | none    | Changed.  |",
    ]);
  });

  test("list functions as they are called, with what their parameters mean", () => {
    const source = `
/**
 * Made of a time.
 *
 * @param time how long. Range: 1 to 5
 * @param options what else. Default: nothing
 * @example
 * made(1, {})
 */
export function made<Of extends 1>(
  time: readonly number[],
  { deep }: MadeOptions = {},
): OptionValue<"made"> {
  return 1;
}
`;
    const marker = "<!-- functions: made -->\n<!-- end -->\n";
    const built = withOptionTables(marker, new Map([["a.ts", source]]));
    expect(built.match(/^\| .*/gm)!.map((line) => line.replaceAll(/ +|-{4,}/g, " "))).toEqual([
      "| value | default | range | meaning |",
      expect.any(String),
      "| `made(time: number[], options?: MadeOptions)` | nothing | 1 to 5 | Made of a time. `time`: how long. `options`: what else. |",
    ]);
    expect(() => withOptionTables(marker, new Map())).toThrow("made is declared in no file");
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
