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
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { DASHBOARD_LAYERS, FEATURES, LAYERS } from "../../oxlint.config.ts";
import manifest from "../../package.json" with { type: "json" };

const oxlint = resolve("node_modules/.bin/oxlint");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tidegate-layers-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  copyFileSync("oxlint.config.ts", join(folder, "oxlint.config.ts"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the linter says about one import in an otherwise empty project. */
async function lintImport(from: string, specifier: string): Promise<string> {
  rmSync(join(folder, "src"), { recursive: true, force: true });
  mkdirSync(dirname(join(folder, from)), { recursive: true });
  writeFileSync(
    join(folder, from),
    `import type { Thing } from "${specifier}";\n\nexport const thing: Thing | undefined = undefined;\n`,
  );
  const { stdout } = await promisify(execFile)(oxlint, ["src"], { cwd: folder }).catch(
    (failure: { stdout: string }) => failure,
  );
  return stdout;
}

test("every folder of src is a layer", () => {
  const folders = readdirSync("src", { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.map(({ name }) => name).toSorted()).toEqual(LAYERS.toSorted());
});

test("every folder of src/features is a feature, and none imports from another", async () => {
  expect(readdirSync("src/features").toSorted()).toEqual(FEATURES.toSorted());
  const said = await lintImport("src/features/leases/a.ts", "../shards/b.ts");
  expect(said).toContain("The feature leases does not know shards");
  expect(await lintImport("src/features/leases/a.ts", "./b.ts")).not.toContain("does not know");
  const up = await lintImport("src/features/leases/a.ts", "../../limiter/b.ts");
  expect(up).toContain("src/features is below src/limiter");
});

test("every folder of the dashboard is a layer of it, but its styles", () => {
  const folders = readdirSync("src/dashboard", { withFileTypes: true })
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

describe("the linter", () => {
  test.for(LAYERS.slice(1).map((layer, i) => [layer, LAYERS[i]!] as const))(
    "refuses an import from src/%s up to src/%s, and not the other way",
    async ([below, above]) => {
      expect(await lintImport(`src/${below}/a.ts`, `../${above}/b.ts`)).toContain(
        "imports go down",
      );
      expect(await lintImport(`src/${below}/c/a.ts`, `../../${above}/b.ts`)).toContain(
        "imports go down",
      );
      expect(await lintImport(`src/${above}/a.ts`, `../${below}/b.ts`)).not.toContain(
        "no-restricted-imports",
      );
    },
  );

  test.each([
    ["parts/a.ts", "../edit/b.ts", true],
    ["code/a.ts", "../edit/b.ts", true],
    ["rule/what-if/a.ts", "../../edit/b.ts", true],
    ["partition/a.ts", "../rule/b.ts", true],
    ["partition/history/a.ts", "../../rule/b.ts", true],
    ["partition/history/a.ts", "../../../lists/b.ts", false],
    ["partition/a.ts", "../parts/b.ts", false],
    ["app/a.ts", "../rule/b.ts", false],
  ])("of src/dashboard/%s from %s: refused is %s", async (file, target, isRefused) => {
    const said = await lintImport(`src/dashboard/${file}`, target);
    expect(said.includes("imports go down")).toBe(isRefused);
  });

  test.each([
    ["src/gateway/a.ts", true],
    ["src/features/leases/a.ts", true],
    ["src/dashboard/parts/a.ts", true],
    ["src/a.ts", true],
    ["src/node/cli/a.ts", false],
  ])("of node:fs from %s: refused is %s", async (file, isRefused) => {
    expect((await lintImport(file, "node:fs")).includes("use web standards")).toBe(isRefused);
  });

  test("refuses an import of an entry", async () => {
    expect(await lintImport("src/gateway/a.ts", "../hono.ts")).toContain("entry of the package");
  });

  test("refuses a circle of files, also one of types", async () => {
    await lintImport("src/store/a.ts", "./b.ts");
    writeFileSync(
      join(folder, "src/store/b.ts"),
      'export type { thing } from "./a.ts";\nexport type Thing = 1;\n',
    );
    const { stdout } = await promisify(execFile)(oxlint, ["src"], { cwd: folder }).catch(
      (failure: { stdout: string }) => failure,
    );
    expect(stdout).toContain("no-cycle");
  });
});
