// Builds the worker as it is deployed into dist/worker, beside the licences and the bill of materials of the packages that are in
// it.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Metafile } from "esbuild";

import { billOfMaterials } from "../support/bill-of-materials.ts";
import { licensesOf } from "../support/licenses.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));
const folder = "dist/worker";
const metafile = join(folder, "metafile.json");

const args = ["deploy", "--dry-run", "--outdir", folder, "--metafile", metafile];
execFileSync("wrangler", args, { stdio: "inherit" });
const bundled = JSON.parse(readFileSync(metafile, "utf8")) as Metafile;
writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licensesOf(bundled));
writeFileSync(join(folder, "sbom.cdx.json"), billOfMaterials(".", bundled));
