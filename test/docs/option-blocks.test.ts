import { globSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { withOptions } from "../../scripts/build-docs/with-options.ts";

const document = readFileSync("docs/options.md", "utf8");
const sources = new Map(
  globSync("src/**/*.ts").map((path) => [path, readFileSync(path, "utf8")] as const),
);

const marked = (name: string) => `<!-- options: ${name} -->\n<!-- end -->\n`;

describe("the options of docs/options.md", () => {
  test("are those of the docstrings", () => {
    expect(withOptions(document, sources)).toBe(document);
  });

  test("have a block for each option, its type without line breaks, and no empty fact", () => {
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
    const built = withOptions(marked("ExampleOptions"), new Map([["a.ts", source]]));
    expect(built).toBe(`<!-- options: ExampleOptions -->

#### \`count\`

\`number\` · required · 2 to 5

How many; not one; more.

#### \`on-call\`

\`false | ((context: C, options: { deep: true; other?: 1 }) => void)\` · default none

Called with "{" as text. Twice.

<!-- end -->
`);
  });

  test.for([
    ["/** Turns it on. */", "optional", /on may be left out/],
    ["/** Turns it on. Default: `true`. */", "required", /on must be given/],
    ["/** Default: `true`. Turns it on. */", "optional", /on: write its meaning/],
    ["", "optional", /on: write its meaning/],
  ] as const)("refuse the docstring %j of an option that is %s", ([doc, kind, message]) => {
    const source = flag(doc, kind === "optional" ? "?" : "");
    expect(() => withOptions(marked("Flag"), new Map([["a.ts", source]]))).toThrow(message);
  });

  test("name every function that makes a value", () => {
    const listed = [...document.matchAll(/^<!-- functions: (.+) -->$/gm)].flatMap(([, names]) =>
      names!.split(" "),
    );
    const made = [...sources.values()].flatMap((text) =>
      [
        ...text.matchAll(
          /^export function (\w+)[^;]*?\): (?:MadeBy<|PlansNamed<|Denials|Failures|Refundable|SharedDenials|Of \{)/gm,
        ),
      ].map(([, name]) => name!),
    );
    const internal = ["optionValue", "readSharing"];
    expect([...new Set(listed)].toSorted()).toEqual(
      made.filter((name) => !internal.includes(name)).toSorted(),
    );
  });
});

function flag(doc: string, optional = ""): string {
  return `interface Flag {\n  ${doc}\n  readonly on${optional}: boolean;\n}\n`;
}
