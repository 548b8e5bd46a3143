import { build, type Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";

import { type Bill, billOfMaterials } from "../../scripts/support/bill-of-materials.ts";
import { licensesOf } from "../../scripts/support/licenses.ts";

/** Licences that ask for no more than to go with the code. */
const PERMISSIVE = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"];

let metafile: Metafile;
beforeAll(async () => {
  ({ metafile } = await build({
    entryPoints: ["src/worker.ts"],
    absWorkingDir: process.cwd(),
    bundle: true,
    write: false,
    outdir: "dist",
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    metafile: true,
  }));
});

test("the worker has four packages of others in it, with permissive licences", () => {
  const { components, metadata } = JSON.parse(billOfMaterials(".", metafile)) as Bill;
  expect(metadata.component).toMatchObject({ name: "tidegate", purl: "pkg:npm/tidegate@0.1.0" });
  expect(components.map(({ name }) => name).sort()).toEqual(["hono", "jose", "microdiff", "zod"]);
  const licences = components.flatMap(({ licenses = [] }) =>
    licenses.map((each) => each.license?.id),
  );
  expect(licences).toHaveLength(4);
  expect(licences.filter((id) => !PERMISSIVE.includes(id ?? ""))).toEqual([]);
  expect(licensesOf(metafile).match(/^(?:hono|jose|microdiff|zod) \d+\.\d+\.\d+$/gm)).toHaveLength(
    4,
  );
});

test("the same bundle makes the same bill", () => {
  expect(billOfMaterials(".", metafile)).toBe(billOfMaterials(".", metafile));
});
