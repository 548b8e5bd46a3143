import { join } from "node:path";

import { build } from "esbuild";
import { expect, inject, test } from "vitest";

import manifest from "../../package.json" with { type: "json" };
import { guideCode } from "../docs/guides.ts";

const handler = guideCode("await limit(");

/** The README's first handler as a bundler with these conditions makes it. */
const bundled = (conditions: readonly string[], external = ["cloudflare:*"]) =>
  build({
    stdin: { contents: handler, resolveDir: inject("installed"), loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    conditions: [...conditions],
    external,
    metafile: true,
    logLevel: "silent",
  });

const bundle = async (conditions: readonly string[]) =>
  (await bundled(conditions)).outputFiles[0]!.text;

test.each([["workerd"], ["workerd", "worker", "browser"]])(
  "a bundle for Workers reads their bindings (%s)",
  async (...conditions) => {
    expect(await bundle(conditions)).toContain('from "cloudflare:workers"');
  },
);

test.each([[], ["browser"], ["worker", "browser"], ["edge-light"], ["node"], ["bun"], ["deno"]])(
  "a bundle for anything else knows nothing of Workers' modules (%s)",
  async (...conditions) => {
    expect(await bundle(conditions)).not.toContain("cloudflare:");
  },
);

test.each([
  [["workerd", "worker", "browser"], false],
  [["edge-light", "worker", "browser"], false],
  [["node"], true],
])("a bundle of the gateway for %j needs Node: %s", async (conditions, expected) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `export * from "tidegate/gateway";`,
      resolveDir: inject("installed"),
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "esm",
    conditions,
    external: ["cloudflare:*", "node:*"],
    logLevel: "silent",
  });
  expect(outputFiles[0]!.text.includes('"node:http"')).toBe(expected);
});

test("a bundle has nothing in it that the handler does not use", async () => {
  const { metafile } = await bundled([], []);
  const [output] = Object.values(metafile.outputs);
  const used = Object.entries(output!.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const names = used.map(([file]) => file);
  expect(names.filter((name) => !name.includes("/node_modules/tidegate/"))).toEqual(["<stdin>"]);
  for (const absent of ["create-limiter", "features/", "sliding-window-log", "gateway"]) {
    expect(names.filter((name) => name.includes(absent))).toEqual([]);
  }
});

test("Node imports every entry that is not Workers' own", async () => {
  const folder = join(inject("installed"), "node_modules/tidegate/dist/lib");
  const entries = Object.keys(manifest.exports)
    .map((entry) => (entry === "." ? "index" : entry.slice(2)))
    .filter((entry) => !["worker", "package.json"].includes(entry));
  expect(entries).toHaveLength(20);
  for (const entry of entries) {
    expect(Object.keys((await import(join(folder, `${entry}.js`))) as object)).not.toEqual([]);
  }
});
