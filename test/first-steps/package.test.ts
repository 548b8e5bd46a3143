import { execFile } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";

import { beforeAll, describe, expect, inject, test } from "vitest";

import project from "../../package.json" with { type: "json" };
import type { Bill, Component } from "../../scripts/support/bill-of-materials.ts";
import type { Repository } from "../../scripts/support/source-address.ts";
import { codeBlocks } from "../docs/code-blocks.ts";
import { type Beside, manifestIn, PACKAGES } from "./packages.ts";

const run = promisify(execFile);

interface Manifest {
  readonly exports: object;
  readonly scripts: Readonly<Record<string, string>>;
  readonly repository?: Repository;
  readonly version: string;
}

let folder: string;
let manifest: Manifest;
let files: readonly string[];
beforeAll(() => {
  folder = join(inject("installed"), "node_modules/tidegate");
  manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );
});

describe("the tarball", () => {
  test("has the library and the start of the command line, and no other files", () => {
    const kinds = files.map((file) => file.replace(/^(dist\/lib)\/.*?((?:\.d)?\.\w+)$/, "$1/*$2"));
    expect([...new Set(kinds)].sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "dist/lib/*.d.ts",
      "dist/lib/*.js",
      "dist/node/tidegate.js",
      "package.json",
    ]);
  });

  test("is small", async () => {
    const { stdout } = await run("tar", ["-tzf", inject("tarball")]);
    expect(stdout.trim().split("\n")).toHaveLength(files.length);
    // One module for each source, so that a bundle has only those in use, and their declarations.
    expect(statSync(inject("tarball")).size).toBeLessThan(486_000);
  });

  test("runs nothing where it is installed", () => {
    for (const script of ["preinstall", "install", "postinstall", "prepare"]) {
      expect(manifest.scripts).not.toHaveProperty(script);
    }
  });

  test("links to files of the repository, where the registry's page leads", () => {
    const links = files
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) =>
        [...readFileSync(join(folder, file), "utf8").matchAll(/\]\(([^)\s]+)\)/g)]
          .map(([, target]) => target!.replace(/#.*$/, ""))
          .filter((target) => target !== "" && !/^[a-z]+:/.test(target)),
      );
    expect(links).toContain("docs/guarantees.md");
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });

  test("says where its source is, once the project does", () => {
    expect(manifest.repository).toEqual((project as Pick<Manifest, "repository">).repository);
  });
});

test("the example is the guide's gateway", () => {
  const read = (file: string) => readFileSync(join("examples/gateway", file), "utf8");
  const blocks = codeBlocks("docs/start.md").map(({ code }) => code);
  expect(blocks).toContain(read("wrangler.toml"));
  expect(blocks).toContain(read("src/index.ts"));
});

describe("of a user who needs the library alone", () => {
  let alone: string;
  beforeAll(async () => {
    alone = join(dirname(inject("installed")), "alone");
    mkdirSync(alone);
    writeFileSync(join(alone, "package.json"), JSON.stringify({ private: true, type: "module" }));
    const quickly = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...quickly, inject("tarball")], { cwd: alone });
  });

  test("the project gets neither Hono nor the dashboard, the command line or the bridge", () => {
    const got = readdirSync(join(alone, "node_modules")).filter((name) => !name.startsWith("."));
    expect(got.sort()).toEqual(["jose", "microdiff", "tidegate", "zod"]);
  });

  test("every entry but those that need Hono compiles with its libraries checked, and loads", async () => {
    const specifiers = Object.keys(manifest.exports)
      .filter((entry) => !/\.json$|hono|gateway|admin|worker|rate-limiter-flexible/.test(entry))
      .map((entry) => entry.replace(".", "tidegate"));
    expect(specifiers).toHaveLength(16);
    const lines = specifiers.map((name, i) => `import * as e${i} from "${name}"; void e${i};`);
    writeFileSync(join(alone, "entries.ts"), lines.join("\n"));
    const compilerOptions = { module: "NodeNext", noEmit: true, types: [], strict: true };
    writeFileSync(join(alone, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    const tsc = join(inject("installed"), "node_modules/typescript/bin/tsc");
    await run(process.execPath, [tsc, "-p", alone]);
    await run(process.execPath, [join(alone, "entries.ts")]);
  });

  test("`npx tidegate` names the package that has the command line", async () => {
    const options = { cwd: alone, env: { ...process.env, npm_config_offline: "true" } };
    await expect(run("npx", ["tidegate", "doctor"], options)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^The command line is the package @tidegate\/cli\. Install it/),
    });
  });
});

/** A component of a bill, as the text of licences heads its licence. */
const nameOf = ({ group, name, version }: Component) =>
  `${group === undefined ? name : `${group}/${name}`} ${version}`;

describe("the packages beside the library", () => {
  const beside = (name: Beside) => join(inject("installed"), "node_modules", manifestIn(name).name);

  test.for([
    [
      "cli",
      [
        "deploy/grafana",
        "deploy/prometheus",
        "dist/dashboard",
        "dist/node/cli",
        "dist/node/shared",
      ],
      518_000,
    ],
    [
      "create-tidegate",
      [
        "dist/templates/gateway",
        "dist/templates/gateway-node",
        "dist/templates/gateway-vercel",
        "dist/templates/gateway-vercel/public",
        "dist/templates/gateway/src",
      ],
      31_000,
    ],
    ["dashboard", ["dist/assets"], 257_000],
    ["redis-rest", [], 100_000],
    ["upstash-ratelimit", [], 3_000],
  ] as const)("%s is small, and has nothing else in it", ([name, inside, most]) => {
    const folders = readdirSync(beside(name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath }) => relative(beside(name), parentPath));
    const own = name === "upstash-ratelimit" ? [""] : ["", "dist"];
    expect(
      [...new Set(folders)].filter((each) => !each.endsWith("dashboard/assets")).sort(),
    ).toEqual([...own, ...inside].sort());
    expect(statSync(inject("beside")[name]!).size).toBeLessThan(most);
  });

  const BUNDLED = ["cli", "create-tidegate", "dashboard", "redis-rest"] as const;

  test.for(BUNDLED)("%s has the licences of its contents", (name) => {
    const text = readFileSync(join(beside(name), "dist/THIRD-PARTY-LICENSES.txt"), "utf8");
    for (const part of text.split(/^-{80}$/m)) {
      expect(part.trim()).toMatch(/^[@\w/-]+ [\d.]+\n\n[^]*copyright[^]{300,}/i);
    }
  });

  test.for(BUNDLED)("%s has a bill of its materials, each with its licence", (name) => {
    const dist = join(beside(name), "dist");
    const bill = JSON.parse(readFileSync(join(dist, "sbom.cdx.json"), "utf8")) as Bill;
    const { version } = manifestIn(name);
    expect(bill.metadata.component).toMatchObject({ name: manifestIn(name).name, version });
    const licensed = globSync("{.,dashboard}/THIRD-PARTY-LICENSES.txt", { cwd: dist })
      .map((file) => readFileSync(join(dist, file), "utf8"))
      .flatMap((text) => text.match(/^[@\w/.-]+ \d+\.\d+\.\d+$/gm)!);
    const bundled = bill.components.map(nameOf);
    expect(bundled.length).toBeGreaterThan(1);
    expect(bundled.filter((each) => !licensed.includes(each))).toEqual([]);
    // A bundler leaves out what is never used, such as a package of which nothing is.
    expect(bundled.length).toBeGreaterThan(new Set(licensed).size * 0.9);
  });

  test.for(PACKAGES)("%s is of the library's version", (name) => {
    const { version } = JSON.parse(
      readFileSync(join(beside(name), "package.json"), "utf8"),
    ) as Manifest;
    expect(version).toBe(manifest.version);
  });
});
