import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const run = promisify(execFile);

test("each link of docs/llms.txt exists, and each document is linked", () => {
  const text = readFileSync("docs/llms.txt", "utf8");
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, link]) => link!);
  expect(links.filter((link) => !existsSync(join("docs", link)))).toEqual([]);
  const documents = globSync("docs/**/*.md").map((file) => file.replace("docs/", ""));
  expect(links.toSorted()).toEqual(documents.toSorted());
});

test("the next version is that of every package", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tidegate-version-"));
  try {
    for (const file of ["package.json", "jsr.json", "packages", "scripts/version-packages"]) {
      await cp(file, join(folder, file), { recursive: true, filter: (each) => !/dist/.test(each) });
    }
    await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## 0.1.0\n");
    await cp(".changeset/config.json", join(folder, ".changeset/config.json"));
    const change = '---\n"tidegate": minor\n---\n\nA change of these tests.\n';
    await writeFile(join(folder, ".changeset/one.md"), change);
    await symlink(resolve("node_modules"), join(folder, "node_modules"));
    const read = async (file: string) =>
      JSON.parse(await readFile(join(folder, file), "utf8")) as { readonly version: string };
    const { version: before } = await read("package.json");
    await run("git", ["init", "-q", "-b", "main"], { cwd: folder });
    await run("npm", ["run", "version"], { cwd: folder });
    const { version } = await read("package.json");
    expect(version).not.toBe(before);
    for (const name of ["cli", "dashboard", "redis-rest", "upstash-ratelimit"]) {
      expect((await read(`packages/${name}/package.json`)).version).toBe(version);
    }
    expect((await read("jsr.json")).version).toBe(version);
    const changelog = await readFile(join(folder, "CHANGELOG.md"), "utf8");
    expect(changelog).toContain(`## ${version}`);
    expect(changelog).toContain("A change of these tests.");
  } finally {
    await rm(folder, { recursive: true });
  }
});
