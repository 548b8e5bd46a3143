import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

const ADDRESS = "https://git.example/somebody/limits";

const MANIFESTS = globSync("packages/*/package.json").sort();
const DOCUMENTS = ["README.md", ...globSync("{packages,templates,examples}/*/README.md").sort()];
const BUTTONS = ["README.md", "templates/gateway/README.md", "templates/gateway-vercel/README.md"];

/** A copy of what says where the source lives, to be built anew. */
function copy() {
  const folder = mkdtempSync(join(tmpdir(), "tidegate-source-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const parts = ["scripts/support", "scripts/build-source", "templates", "docs", "SECURITY.md"];
  for (const file of ["package.json", ...MANIFESTS, ...DOCUMENTS, ...parts]) {
    cpSync(file, join(folder, file), {
      recursive: true,
      filter: (each) => !/node_modules|\.wrangler/.test(each),
    });
  }
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  return {
    read,
    /** Builds for an address, or for none. */
    build(address: string | undefined, ...args: string[]) {
      const { repository: _, ...manifest } = JSON.parse(read("package.json")) as {
        repository?: object;
      };
      const repository = address && { type: "git", url: `git+${address}.git` };
      writeFileSync(
        join(folder, "package.json"),
        JSON.stringify({ ...manifest, ...(repository && { repository }) }),
      );
      const program = join(folder, "scripts/build-source/main.ts");
      execFileSync(process.execPath, [program, ...args], { encoding: "utf8", stdio: "pipe" });
    },
  };
}

test("package.json alone says where the source lives: all else is built from it, and back", () => {
  const { build, read } = copy();
  const all = [...MANIFESTS, ...DOCUMENTS];
  build(undefined);
  const without = all.map(read);
  expect(without.filter((text) => text.includes(ADDRESS))).toEqual([]);
  build(ADDRESS);
  expect(() => build(ADDRESS, "--check")).not.toThrow();
  for (const file of MANIFESTS) {
    expect((JSON.parse(read(file)) as { repository: object }).repository).toEqual({
      type: "git",
      url: `git+${ADDRESS}.git`,
      directory: dirname(file),
    });
  }
  expect(read("packages/cli/README.md")).toContain(`](${ADDRESS}/blob/main/docs/cli.md)`);
  for (const file of DOCUMENTS) expect(read(file)).not.toContain("](../");
  const deployed = BUTTONS.map((file) => read(file).match(/^\[!\[Deploy .+$/gm));
  expect(deployed).toEqual([
    [expect.stringContaining(`?url=${ADDRESS}/tree/main/templates/gateway)`)],
    [expect.stringContaining(`?url=${ADDRESS}/tree/main/templates/gateway)`)],
    [
      expect.stringContaining(
        `?repository-url=${encodeURIComponent(`${ADDRESS}/tree/main/templates/gateway-vercel`)}&`,
      ),
    ],
  ]);
  expect(() => build("https://git.example/others/limits", "--check")).toThrow(/is stale/);
  build("https://git.example/others/limits");
  expect(all.map(read).filter((text) => text.includes("somebody"))).toEqual([]);
  build(undefined);
  expect(all.map(read)).toEqual(without);
});
