import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, describe, expect, inject, test } from "vitest";

import { codeBlocks } from "../support/docs/code-blocks.ts";

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly repository: { readonly url: string };
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
  test("has the library, the bridge, the command line, the dashboard, the documents and the examples, and nothing else", () => {
    const kinds = files.map((file) =>
      file.replace(/^(dist\/lib|[^/]+)\/.*?((?:\.d)?\.\w+)$/, "$1/*$2"),
    );
    expect([...new Set(kinds)].sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "dist/*.css",
      "dist/*.html",
      "dist/*.js",
      "dist/*.lua",
      "dist/*.txt",
      "dist/lib/*.d.ts",
      "dist/lib/*.js",
      "dist/lib/*.json",
      "docs/*.json",
      "docs/*.md",
      "docs/*.svg",
      "examples/*.json",
      "examples/*.toml",
      "examples/*.ts",
      "package.json",
    ]);
  });

  test("is small", async () => {
    const { stdout } = await promisify(execFile)("tar", ["-tzf", inject("tarball")]);
    expect(stdout.trim().split("\n")).toHaveLength(files.length);
    // The command line and the doctor are 140 KB of it: they bring the gateway's checks, parsers that know places, and a
    // client of Redis. The dashboard's editor is 180 KB: a text field with completion, a comparison, and what reads the schema.
    // The library's modules are 160 KB, one for each source: without white space they would be 20 KB less, and unreadable.
    expect(statSync(inject("tarball")).size).toBeLessThan(950_000);
  });

  test("names no file that it has not: entries, programs", () => {
    const targets = Object.values(manifest.exports).flatMap((entry) =>
      typeof entry === "string" ? [entry] : Object.values(entry),
    );
    expect(targets).toHaveLength(39);
    const named = [...targets, ...Object.values(manifest.bin)];
    expect(named.filter((target) => !existsSync(join(folder, target)))).toEqual([]);
  });

  test("says where the modules of the library's own conditions are", () => {
    const { imports } = JSON.parse(readFileSync(join(folder, "dist/lib/package.json"), "utf8")) as {
      imports: Record<string, Record<string, string>>;
    };
    const targets = Object.values(imports).flatMap((conditions) => Object.values(conditions));
    expect(targets).toEqual([
      "./runtime/bindings.workerd.js",
      "./runtime/bindings.js",
      "./runtime/durable-object.workerd.js",
      "./runtime/durable-object.js",
    ]);
    for (const target of targets) expect(existsSync(join(folder, "dist/lib", target))).toBe(true);
  });

  test("runs nothing where it is installed", () => {
    for (const script of ["preinstall", "install", "postinstall", "prepare"]) {
      expect(manifest.scripts).not.toHaveProperty(script);
    }
  });

  test("has every file that its documents link to", () => {
    const links = files
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) =>
        [...readFileSync(join(folder, file), "utf8").matchAll(/\]\(([^)\s]+)\)/g)]
          .map(([, target]) => target!.replace(/#.*$/, ""))
          .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
          .map((target) => join(dirname(file), target)),
      );
    expect(links).toContain("docs/guarantees.md");
    // Most pictures are larger than what they show: readers of the package find them in the repository.
    const placeOf = (link: string) => (/^(?:docs\/pictures|bench)\//.test(link) ? "." : folder);
    expect(links.filter((link) => !existsSync(join(placeOf(link), link)))).toEqual([]);
  });

  test("says where its source is", () => {
    expect(manifest.repository.url).toMatch(/^git\+https:\/\/.+\.git$/);
  });

  test("has the guide's gateway as an example", () => {
    const read = (file: string) => readFileSync(join(folder, "examples/gateway", file), "utf8");
    const blocks = codeBlocks(join(folder, "docs/gateway.md")).map(({ code }) => code);
    expect(blocks).toContain(read("wrangler.toml"));
    expect(blocks).toContain(read("src/index.ts"));
  });
});

describe("the programs that the package brings", () => {
  test("have the licences of what is in them", () => {
    const text = readFileSync(join(folder, "dist/node/THIRD-PARTY-LICENSES.txt"), "utf8");
    expect(text).toMatch(/^ioredis \d/m);
    for (const part of text.split(/^-{80}$/m)) {
      expect(part.trim()).toMatch(/^[@\w/-]+ [\d.]+\n\n[^]*copyright[^]{300,}/i);
    }
  });
});
