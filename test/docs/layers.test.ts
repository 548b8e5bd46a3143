import { execFile } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  existsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { DASHBOARD_LAYERS, FEATURES, GATEWAY_LAYERS, LAYERS } from "../../oxlint.config.ts";
import manifest from "../../package.json" with { type: "json" };

const oxlint = resolve("node_modules/.bin/oxlint");

interface Diagnostic {
  readonly filename: string;
  readonly code: string;
  readonly help: string;
}

const CIRCLE = ["src/store/circle-1.ts", "src/store/circle-2.ts"];
const files = new Map([
  [CIRCLE[0]!, 'import type { Thing } from "./circle-2.ts";\n\nexport const thing: Thing = 1;\n'],
  [CIRCLE[1]!, 'export type { thing } from "./circle-1.ts";\nexport type Thing = 1;\n'],
]);
let folder: string;
let diagnostics: readonly Diagnostic[];

/** Runs the linter once for the imports of all tests, because it takes a second to start. */
function lintImport(from: string, specifier: string): () => string {
  const file = from.replace(/\/a\.ts$/, `/import-${files.size}.ts`);
  files.set(
    file,
    `import type { Thing } from "${specifier}";\n\nexport const thing: Thing | undefined = undefined;\n`,
  );
  return () => saidOf(file);
}

const saidOf = (file: string) =>
  diagnostics
    .filter(({ filename }) => filename === file)
    .map(({ code, help }) => `${code}: ${help}`)
    .join("\n");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidegate-layers-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  copyFileSync("oxlint.config.ts", join(folder, "oxlint.config.ts"));
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const { stdout } = await promisify(execFile)(oxlint, ["--format", "json", "src", "packages"], {
    cwd: folder,
    maxBuffer: 1e7,
  }).catch((failure: { stdout: string }) => failure);
  ({ diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Diagnostic[] });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every folder of src is a layer", () => {
  const folders = readdirSync("src", { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.map(({ name }) => name).toSorted()).toEqual(LAYERS.toSorted());
});

test("every folder of src/features, and every file directly in it, is one feature's, but the lists of all", () => {
  const found = readdirSync("src/features", { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );
  const named = [...Object.values(FEATURES).flat(), "every-feature.ts", "features.ts"];
  expect(named.toSorted()).toEqual(found.toSorted());
});

test("every folder of the gateway is a layer of it", () => {
  const folders = readdirSync("src/gateway", { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(folders.toSorted()).toEqual(GATEWAY_LAYERS.toSorted());
});

test("every folder of the dashboard is a layer of it, but its styles", () => {
  const folders = readdirSync("packages/dashboard/src", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "style")
    .map(({ name }) => name);
  expect(folders.toSorted()).toEqual(DASHBOARD_LAYERS.flat().toSorted());
});

test("the source layout names every entry of the package, and every layer, those above first", () => {
  const [, layout = ""] = readFileSync("docs/architecture.md", "utf8").split("## Source layout");
  const [, entries = ""] = /^\| `src\/\*\.ts` +\|(.*)\|$/m.exec(layout) ?? [];
  const subpaths = Object.keys(manifest.exports).filter((name) => !name.endsWith(".json"));
  expect(Array.from(entries.matchAll(/`(\/[\w-]+)`/g), ([, name]) => `.${name}`).sort()).toEqual(
    subpaths.filter((name) => name !== ".").sort(),
  );
  const folders = Array.from(layout.matchAll(/^\| `src\/(\w+)`/gm), ([, name]) => name);
  expect(folders).toEqual(LAYERS);
});

/** The files of the algorithm that the guide has its reader write. */
const EXAMPLES = /leaky-bucket|NAME/;

test("each file and folder that the guide for contributors and the architecture name is there", () => {
  const missing = ["CONTRIBUTING.md", "docs/architecture.md"].flatMap((page) =>
    Array.from(
      readFileSync(page, "utf8").matchAll(
        /`((?:src|lua|test|packages|scripts|bench|deploy)\/[\w./-]+)`/g,
      ),
      ([, path]) => path!,
    ).filter(
      (path) =>
        !EXAMPLES.test(path) && !["", ".ts", ".test.ts"].some((end) => existsSync(path + end)),
    ),
  );
  expect(missing).toEqual([]);
});

test("the guide for contributors lists the layers from the top down", () => {
  const guide = readFileSync("CONTRIBUTING.md", "utf8");
  const [line = ""] = /^ {4}admin > .*$/m.exec(guide) ?? [];
  expect(line.trim().split(" > ")).toEqual(LAYERS);
});

describe("the linter", () => {
  test.for(
    LAYERS.slice(1).map((below, i) => {
      const above = LAYERS[i]!;
      const ups = [
        lintImport(`src/${below}/a.ts`, `../${above}/b.ts`),
        lintImport(`src/${below}/c/a.ts`, `../../${above}/b.ts`),
      ];
      return [below, above, ups, lintImport(`src/${above}/a.ts`, `../${below}/b.ts`)] as const;
    }),
  )("refuses an import from src/%s up to src/%s, and not the other way", ([, , ups, down]) => {
    for (const up of ups) expect(up()).toContain("imports go down");
    expect(down()).not.toContain("no-restricted-imports");
  });

  const FEATURE = "src/features";
  const DASHBOARD = "packages/dashboard/src";
  const GATEWAY = "src/gateway";

  /** An empty refusal is an import that may be. */
  const IMPORTS: readonly (readonly [file: string, target: string, refusal: string])[] = [
    [`${FEATURE}/leases/a.ts`, "../shards-feature.ts", "The feature leases does not know shards"],
    [`${FEATURE}/leases/a.ts`, "../holds/b.ts", "The feature leases does not know holds"],
    [`${FEATURE}/leases/a.ts`, "./b.ts", ""],
    [`${FEATURE}/leases/a.ts`, "../../limiter/b.ts", "src/features is below src/limiter"],
    [`${FEATURE}/plans.ts`, "./shards-feature.ts", "The feature plans does not know shards"],
    [
      `${FEATURE}/optimistic-step.ts`,
      "./leases/b.ts",
      "The feature optimistic does not know leases",
    ],
    [`${FEATURE}/plans-feature.ts`, "./plans.ts", ""],
    [`${FEATURE}/shard-step.ts`, "../limiter/b.ts", "src/features is below src/limiter"],
    [`${DASHBOARD}/parts/a.ts`, "../edit/b.ts", "imports go down"],
    [`${DASHBOARD}/code/a.ts`, "../edit/b.ts", "imports go down"],
    [`${DASHBOARD}/rule/a.ts`, "../edit/b.ts", "imports go down"],
    [`${DASHBOARD}/partition/a.ts`, "../rule/b.ts", "imports go down"],
    [`${DASHBOARD}/partition/history/a.ts`, "../../rule/b.ts", "imports go down"],
    [`${DASHBOARD}/partition/history/a.ts`, "../../../lists/b.ts", ""],
    [`${DASHBOARD}/partition/a.ts`, "../parts/b.ts", ""],
    [`${DASHBOARD}/app/a.ts`, "../rule/b.ts", ""],
    [`${GATEWAY}/rules/a.ts`, "../route/b.ts", "imports go down"],
    [`${GATEWAY}/route/a.ts`, "../rules/b.ts", ""],
    [`${GATEWAY}/route/a.ts`, "../proxy/b.ts", "imports go down"],
    [`${GATEWAY}/proxy/a.ts`, "../live/b.ts", "imports go down"],
    [`${GATEWAY}/live/a.ts`, "../serve.ts", "imports go down"],
    [`${GATEWAY}/live/a.ts`, "../config/b.ts", ""],
    [`${GATEWAY}/live/a.ts`, "../../metrics/b.ts", ""],
    [`${GATEWAY}/a.ts`, "node:fs", "use web standards"],
    [`${GATEWAY}/a.ts`, "../hono.ts", "entry of the package"],
    [`${FEATURE}/leases/a.ts`, "node:fs", "use web standards"],
    [`${DASHBOARD}/parts/a.ts`, "node:fs", "use web standards"],
    ["src/a.ts", "node:fs", "use web standards"],
    ["packages/cli/src/a.ts", "node:fs", ""],
    ["packages/redis-rest/src/a.ts", "node:fs", ""],
    ["src/a.ts", "../packages/cli/src/b.ts", "src is below the packages"],
    ["src/store/redis/a.ts", "../../../packages/cli/src/b.ts", "src is below the packages"],
    ["packages/redis-rest/src/a.ts", "../../cli/src/b.ts", "redis-rest does not know packages/cli"],
    ["packages/cli/src/a.ts", "../../redis-rest/src/b.ts", ""],
    ["packages/cli/src/a.ts", "../../../src/store/b.ts", ""],
    ["packages/cli/src/a.ts", "../../../src/hono.ts", "entry of the package"],
    [`${DASHBOARD}/parts/a.ts`, "../../../cli/src/b.ts", "dashboard does not know"],
  ];

  test.for(
    IMPORTS.map(([file, target, refusal]) => {
      return { file, target, refusal, said: lintImport(file, target) };
    }),
  )("says of $file importing $target: $refusal", ({ refusal, said }) => {
    const restricted = said()
      .split("\n")
      .filter((line) => line.includes("no-restricted-imports"));
    expect(restricted).toEqual(refusal === "" ? [] : [expect.stringContaining(refusal)]);
  });

  test("refuses a circle of files, also one of types", () => {
    for (const file of CIRCLE) expect(saidOf(file)).toContain("no-cycle");
  });
});
