import { globSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { withOptionTables } from "../../scripts/build-docs/option-tables.ts";
import { fixedWindow, segmentedWindow, slidingWindowLog, tokenBucket } from "../../src/index.ts";
import { createLimiter } from "../../src/limiter/create-limiter.ts";
import type { LimiterOptions } from "../../src/limiter/options.ts";

const document = readFileSync("docs/options.md", "utf8");
const sources = new Map(
  globSync("src/**/*.ts", { exclude: ["src/node/**"] }).map(
    (path) => [path, readFileSync(path, "utf8")] as const,
  ),
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
});

function flag(doc: string, optional = ""): string {
  return `interface Flag {\n  ${doc}\n  readonly on${optional}: boolean;\n}\n`;
}

/** The range of an option, as its row has it. */
function rangeOf(option: string, section: string): readonly [string, string] {
  const table = document.slice(document.indexOf(`<!-- options: ${section} -->`));
  const row = table.split("\n").find((line) => line.startsWith(`| \`${option}\` `))!;
  const [, from, to] = /`?"?([\w,]+)"?`? to `?"?([\w,]+)"?`?/.exec(row.split(" | ").at(-2)!)!;
  return [from!.replaceAll(",", ""), to!.replaceAll(",", "")];
}

const daily = fixedWindow({ limit: 1000, window: "1d" });
const bucket = (more: object) => ({
  policies: [tokenBucket({ limit: 1, refill: 1, per: "1s", ...more })],
});

/** Options with a range: how a value is given, and the values just outside of both ends. */
const ranges: [
  option: string,
  section: string,
  given: (value: never) => Partial<LimiterOptions>,
  outside: [string | number, string | number],
][] = [
  ["timeout", "StoreOptions", (timeout) => ({ timeout }), ["0.999ms", "1.001m"]],
  ["lease", "LimiterOptions", (lease) => ({ lease }), ["9.999ms", "10.001s"]],
  [
    "denialCache",
    "LimiterOptions",
    (maxEntries) => ({ denialCache: { maxEntries } }),
    [0, 1_000_001],
  ],
  ["prefix", "LimiterOptions", (length) => ({ prefix: "p".repeat(length) }), [0, 65]],
  [
    "policies",
    "LimiterOptions",
    (length) => ({
      policies: Array.from({ length }, (_, i) =>
        fixedWindow({ name: `p${i}`, limit: 1, window: "1d" }),
      ),
    }),
    [0, 17],
  ],
  [
    "name",
    "CommonOptions",
    (length) => ({ policies: [{ ...daily, name: "n".repeat(length) }] }),
    [0, 65],
  ],
  [
    "limit",
    "TokenBucketOptions",
    (limit) => bucket({ limit, refill: 1_000_000_000 }),
    [0, 1_000_000_001],
  ],
  ["refill", "TokenBucketOptions", (refill) => bucket({ refill }), [0, 1_000_000_001]],
  ["per", "TokenBucketOptions", (per) => bucket({ per }), ["0.999ms", "366.001d"]],
  [
    "limit",
    "WindowOptions",
    (limit) => ({ policies: [fixedWindow({ limit, window: "1d" })] }),
    [0, 2 ** 53],
  ],
  [
    "window",
    "WindowOptions",
    (window) => ({ policies: [slidingWindowLog({ limit: 1, window })] }),
    ["0.999ms", "366.001d"],
  ],
  [
    "segments",
    "SegmentedWindowOptions",
    (segments) => ({ policies: [segmentedWindow({ limit: 1, window: "1d", segments })] }),
    [0, 61],
  ],
];

test.for(ranges)(
  "the range of %s in %s is the accepted one",
  ([option, section, given, outside]) => {
    const open = (value: unknown) => () =>
      createLimiter({
        redis: { url: "http://127.0.0.1:1", token: "t" },
        policies: [daily],
        ...given(value as never),
      });
    const numeric = typeof outside[0] === "number";
    for (const end of rangeOf(option, section)) {
      expect(open(numeric ? Number(end) : end), end).not.toThrow();
    }
    for (const beyond of outside) expect(open(beyond), String(beyond)).toThrow();
  },
);
