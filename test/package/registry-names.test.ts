import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

import { expect, test } from "vitest";

import jsr from "../../jsr.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import { registryName } from "../../scripts/support/registry-names.ts";

const { name: NAME } = manifest;

const FOLDERS = globSync("packages/*/package.json").map(dirname).sort();
const PARTS = FOLDERS.map((folder) => folder.replace("packages/", ""));

/** The entries that others import by the name, and no package of ours has in its own. */
const ENTRIES = Object.keys(manifest.exports)
  .filter((entry) => entry.startsWith("./") && !entry.endsWith(".json"))
  .map((entry) => entry.slice(2));

/** Packages of others, whose modules may be called as our entries. */
const OTHERS = new Set(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }));

/** The names by which a text calls packages of this project. */
function namesIn(text: string): readonly string[] {
  const scoped = [...text.matchAll(new RegExp(`@[\\w-]+/(?:${PARTS.join("|")})\\b`, "g"))];
  const created = [...text.matchAll(/npm create ([\w-]+)/g)].map(([, name]) => `create-${name}`);
  const imported = [
    ...text.matchAll(new RegExp(`(?:from|import\\() ?"([\\w-]+)/(?:${ENTRIES.join("|")})"`, "g")),
  ];
  return [
    ...scoped.map(([name]) => name),
    ...created,
    ...imported.map(([, name]) => name!).filter((name) => !OTHERS.has(name)),
  ];
}

const KNOWN = new Set([NAME, ...FOLDERS.map((folder) => registryName(folder, NAME))]);

test("package.json alone names the packages of the registry", () => {
  for (const folder of FOLDERS) {
    const { name } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as { name: string };
    expect(name).toBe(registryName(folder, NAME));
  }
  expect(jsr.name).toBe(`@${NAME}/${NAME}`);
});

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .filter((file) => /^(?:README|docs|examples|templates|packages|src)/.test(file))
  .filter((file) => /\.(?:md|ts|tsx|js|json|toml|txt)$/.test(file) && !file.endsWith("-lock.json"));

test("documents, templates, examples and packages call them so", () => {
  const called = files.flatMap((file) =>
    namesIn(readFileSync(file, "utf8")).map((name) => ({ file, name })),
  );
  expect(called.length).toBeGreaterThan(100);
  expect(called.filter(({ name }) => !KNOWN.has(name))).toEqual([]);
});

// In pieces, as another search may look into this file.
test.for([`npx @${"someone"}/cli`, `npm create ${"limits"}@latest`, `from "${"limits"}/hono"`])(
  "%s would be found",
  (text) => {
    expect(namesIn(`see ${text} there`).filter((name) => !KNOWN.has(name))).toHaveLength(1);
  },
);
