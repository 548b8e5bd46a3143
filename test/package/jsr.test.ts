import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import jsr from "../../jsr.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };

/** JSR takes no module that adds to the types of another, as `c.var.rateLimit` does to Hono's. */
const NOT_ON_JSR = ["./hono", "./package.json"];

test("JSR would take the package: every export has its type in the source", async () => {
  // Apart from package.json and node_modules, by which Deno would find what jsr.json must name.
  const folder = await mkdtemp(join(tmpdir(), "tidegate-jsr-"));
  try {
    for (const file of ["src", "jsr.json", "README.md", "CHANGELOG.md", "LICENSE"]) {
      await cp(file, join(folder, file), {
        recursive: true,
        filter: (source) => !/src\/(?:dashboard|package\.json)/.test(source),
      });
    }
    // The project's own compiler checks the rest.
    const options = ["publish", "--dry-run", "--allow-dirty", "--no-check"];
    const { stderr } = await promisify(execFile)(resolve("node_modules/.bin/deno"), options, {
      cwd: folder,
      env: { ...process.env, DENO_DIR: join(folder, ".deno"), NO_COLOR: "1" },
    });
    expect(stderr).toContain("Dry run complete");
    expect(stderr).not.toMatch(/src\/(?:node\/|dashboard|hono\.ts)/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("it has the entries, the version and the packages of package.json", () => {
  const entries = Object.keys(manifest.exports).filter((entry) => !NOT_ON_JSR.includes(entry));
  expect(Object.keys(jsr.exports)).toEqual(entries);
  expect(jsr.version).toBe(manifest.version);
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    const named = Object.values(jsr.imports).filter((each) => each.startsWith(`npm:${name}@`));
    expect(named.map((each) => each.slice(`npm:${name}@`.length).split("/")[0])).toEqual([version]);
  }
});
